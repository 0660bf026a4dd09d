/** What a room may use, what it shows the others, and how large it may be. A new arrow or door, or growing past the budget, is a design decision. */
interface Room {
  /** The rooms that it may import. */
  readonly imports: readonly string[];
  /** The files that other rooms may import; without it, all of them. */
  readonly doors?: readonly string[];
  /** Source files and lines, tests left out. */
  readonly budget: readonly [files: number, lines: number];
}

export const ROOMS: Readonly<Record<string, Room>> = {
  contract: {
    imports: [],
    budget: [32, 3040],
  },
  lib: {
    imports: [],
    budget: [57, 4600],
  },
  shell: {
    imports: words("contract lib"),
    doors: words(`
      argv/argv-effects.ts model/effect.ts model/script.ts model/shell-state.ts model/word.ts parse/expand.ts
      parse/read-script.ts
    `),
    budget: [41, 7600],
  },
  models: {
    imports: words("contract lib"),
    doors: words(`
      catalog/catalog.ts catalog/row.ts choose-model.ts effort.ts model.ts o200k.ts open-model.ts
      scripted/respond.ts scripted/script.ts scripted/server.ts tokens.ts
    `),
    budget: [25, 3800],
  },
  snapshots: {
    imports: words("contract lib"),
    doors: words(`
      changes.ts merge-changes.ts move-files.ts open-session.ts plan-undo.ts present-changes.ts recovery.ts replace-files.ts
      restore.ts saved-session.ts shadow.ts snapshot.ts turn-snapshots.ts turn-states.ts undo-files.ts
    `),
    budget: [19, 3550],
  },
  guard: {
    imports: words("contract lib shell"),
    doors: words(`
      access/judge-access.ts allow/offer.ts allow/learn.ts allow/plan-allow.ts allow/plan-import.ts audit/anchor.ts
      audit/verify-audit.ts audit/write-audit.ts decide-and-record.ts explain.ts judge-line.ts judge/judge.ts
      judge/tool-call.ts machine/real-machine.ts own-rules.ts policy/active-policy.ts policy/compiled-policy.ts
      policy/trust.ts redact.ts screen/screen-command.ts screen/screen.ts taint-store.ts
    `),
    budget: [71, 10950],
  },
  sandbox: {
    imports: words("contract lib shell guard"),
    doors: words(`
      contained-session.ts open-session-sandbox.ts run/command-runner.ts run/contained-commands.ts
      run/left-commands.ts run/output-window.ts run/process-tree.ts run/run-script.ts run/start-command.ts
      run/start-server.ts session/limits.ts session/private-home.ts
    `),
    budget: [52, 8470],
  },
  agents: {
    imports: words("contract lib"),
    doors: words(`
      active-agent.ts copilot/program.ts deliver-prompt.ts find-binary.ts find-dialect.ts install/hook-entries.ts
      install/walk-folders.ts pack/agent-pack.ts pack/agent.ts pack/hook-event.ts pack/offline.ts pack/records.ts
      pack/rule-import.ts pack/surfaces.ts packs.ts search-path.ts spillover.ts
    `),
    budget: [74, 8000],
  },
  hooks: {
    imports: words("contract lib snapshots guard sandbox agents"),
    doors: words(`
      answer-xpia.ts client/wrappers.ts direct-call.ts install/guarded-start.ts install/prepare.ts
      project/registration.ts project/session-hooks.ts server-protocol.ts
    `),
    budget: [31, 3620],
  },
  staging: {
    imports: words("contract lib agents hooks recipes"),
    doors: words(`
      apply.ts check-staged.ts entry.ts manifest.ts plan-init.ts plan-stage.ts refresh.ts repository-file.ts
      sources/staged-agents.ts
    `),
    budget: [22, 2800],
  },
  launch: {
    // A launch checks the work of its agent and leaves a receipt: receipts and snapshots do that for a run already.
    imports: words("contract lib snapshots guard agents hooks staging receipts"),
    doors: words(`
      binary-identity.ts child-environment.ts exit-status.ts guard-run.ts launch-check.ts launch-events.ts launch.ts read-prompt.ts
      run-folder.ts write-context.ts
    `),
    budget: [15, 2280],
  },
  receipts: {
    imports: words("contract lib shell snapshots guard"),
    doors: words(`
      acceptance/accept-work.ts acceptance/check-base.ts acceptance/check-with-base.ts acceptance/record-base.ts
      call-record.ts commit-watch.ts host.ts run/known-runs.ts run/prune-runs.ts run/read-order.ts run/recover-runs.ts run/run-log.ts run/run-setup.ts run/run-work-order.ts
      run/serve-host.ts seal/find-receipt.ts seal/seal.ts seal/store-receipt.ts seal/verify-receipts.ts session-receipt.ts
      workspace/workspace-copy.ts
    `),
    budget: [42, 7740],
  },
  native: {
    imports: words("contract lib shell models snapshots guard sandbox receipts"),
    doors: words(`
      acp/acp-agent.ts engine/hooks.ts knowledge/context.ts knowledge/memories.ts log/list-sessions.ts
      log/log-folder.ts log/prune-sessions.ts log/read-log.ts log/replay.ts log/session-log.ts log/transcript.ts
      mcp/live-server.ts mcp/login.ts mcp/probe-server.ts mcp/server-config.ts session.ts
      settings/session-settings.ts settings/settings-files.ts terminal/event-lines.ts
      terminal/line-mode.ts terminal/one-task.ts terminal/session-port.ts terminal/stop-on-signal.ts tools/tool-names.ts
      undo/plan-turns.ts undo/take-back.ts
    `),
    budget: [94, 17460],
  },
  // The only room that knows the library that draws.
  terminal: {
    imports: words("contract lib"),
    doors: words("board-line.ts board-screen.ts rich-terminal.ts style.ts"),
    budget: [15, 2230],
  },
  hosts: {
    imports: words("contract lib guard sandbox agents launch receipts native"),
    doors: words(`
      named-host.ts native-host.ts program/program.ts program/system-processes.ts sidecar/conformance.ts
      sidecar/sidecar.ts
    `),
    budget: [25, 4150],
  },
  board: {
    // Everything that leaves something on disk.
    imports: words("contract lib snapshots hooks launch receipts native"),
    doors: words("live-calls.ts read-board.ts stop-entry.ts watch-board.ts"),
    budget: [10, 1000],
  },
  dashboard: {
    imports: words("contract lib board"),
    doors: words("serve-dashboard.ts"),
    budget: [2, 260],
  },
  recipes: {
    imports: words("contract lib shell snapshots guard sandbox agents receipts"),
    doors: words(`
      bridge/find-runner.ts bridge/run-runner.ts check-recipe.ts external-run.ts own-run.ts recipe/find-recipe.ts
      recipe/load-recipe.ts recipe/plan-steps.ts recipe/read-recipe.ts recipe/recipe-folders.ts recipe/recipe.ts
      run/prepare-context.ts run/run-folder.ts run/run-parts.ts run/started-run.ts run/step-result.ts
      shell/calling-session.ts
    `),
    budget: [37, 5500],
  },
  proof: {
    imports: words("contract lib models guard sandbox agents hooks staging launch receipts native recipes fleet"),
    doors: words(`
      compare-faults.ts doctor/check.ts doctor/examine.ts doctor/prompt-delivery.ts guarantees.ts proof-matrix.ts proof-state.ts
      prove.ts report.ts
    `),
    budget: [22, 2830],
  },
  // Work orders on several machines. How a run works belongs to the rooms below; fleet starts it as a program.
  fleet: {
    imports: words("contract lib receipts"),
    doors: words(`
      attempt.ts documents.ts open-fleet.ts port.ts results.ts worker.ts workspace.ts
    `),
    budget: [12, 1750],
  },
  commands: {
    imports: words(
      "package.json contract lib models snapshots guard sandbox agents hooks staging launch receipts native terminal hosts board dashboard recipes proof fleet",
    ),
    budget: [92, 11400],
  },
};

/** The files beside the rooms, and what they may import. */
export const TOP_FILES: Readonly<Record<string, readonly string[]>> = {
  "verbs.ts": words("agents commands"),
  "cli.ts": words("lib commands verbs.ts package.json"),
};

/** Folders that are stricter than their room: they import these rooms, and nothing else of their own room. */
export const STRICT_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  // The engine has no disk, network or clock of its own.
  "native/engine": words("contract lib models"),
  // The guard gets the screen passed in.
  "guard/screen": words("contract lib"),
};

function words(text: string): readonly string[] {
  return text
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "");
}
