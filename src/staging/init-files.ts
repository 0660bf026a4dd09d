/** The first policy of a repository. */
export const POLICY = `# The rules for coding agents in this repository. See docs/guard.md in signalbox.
# Until it is trusted on a machine (signalbox trust), this file can only tighten the rules there.
version: 1

# default: ask about anything no rule allows. ci: deny it. read-only: allow no changes.
extends: default

# rules:
#   - id: deploy-preview
#     argv: [./deploy.sh, [preview, staging]]
#     verdict: allow
#     because: previews need no approval
#     match: ["./deploy.sh preview"]
#     not_match: ["./deploy.sh production"]

# paths: { deny_read: ["secrets/**"], deny_write: ["migrations/**"] }
# network: { mode: allowlist, allow: ["api.example.com"] }
# tools: { deny: ["WebSearch"], require_approval_for: ["mcp:github/*"] }
`;

/** Explains the folder. */
export const README = `# .signalbox

signalbox's files for this repository. \`signalbox claude\`, \`codex\` and others give agents, skills, commands and instructions to the agent they start. \`signalbox stage\` puts everything where agents look for it that are started without signalbox.

- \`policy.yaml\`: the rules for tool calls
- \`agents/NAME.md\`: sub-agents, with \`name\` and \`description\` between lines of \`---\`
- \`skills/NAME/SKILL.md\`: skills
- \`commands/NAME.md\`: commands; skills for agents that have no commands
- \`recipes/NAME.yaml\`: workflows; agents get each as a command that calls \`signalbox recipe run NAME\`; they run only once trusted: \`signalbox trust\`
- \`hooks/EVENT\`: programs that run on an event (\`tool-before\`, \`agent-stop\`, ...); JSON in, JSON out; they run only once trusted: \`signalbox trust\`
- \`instructions.md\` (optional): text for every agent
- \`mcp.json\` (optional): \`{"mcpServers": {...}}\` for every agent
- \`staged.json\`: what \`signalbox stage\` wrote; commit it
`;
