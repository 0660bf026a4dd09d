const words = (text: string) => new Set(text.split(" "));

/**
 * Variables that are special in zsh but not in bash: `path` is PATH, NULLCMD is a program, a number is evaluated from
 * its text. A test compares this list with a real zsh.
 */
const VARIABLES = words(
  "ARGC CDPATH COLUMNS EGID EUID FIGNORE FPATH FUNCNEST GID HISTCHARS HISTCMD HISTSIZE KEYBOARD_HACK KEYTIMEOUT LINENO LINES LISTMAX LOGCHECK MAILCHECK MAILPATH MANPATH MODULE_PATH NULLCMD OPTARG OPTIND PPID PROMPT PROMPT2 PROMPT3 PROMPT4 PSVAR RANDOM READNULLCMD REPORTMEMORY REPORTTIME RPROMPT RPS1 SAVEHIST SECONDS SHLVL SPROMPT TMOUT TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT TTYIDLE UID USERNAME WORDCHARS ZDOTDIR ZSH_EVAL_CONTEXT ZSH_SUBSHELL aliases argv builtins cdpath commands dirstack dis_aliases dis_builtins dis_functions dis_functions_source dis_galiases dis_patchars dis_reswords dis_saliases fignore fpath funcfiletrace funcsourcetrace funcstack functions functions_source functrace galiases histchars history historywords jobdirs jobstates jobtexts keymaps mailpath mapfile manpath module_path modules nameddirs options parameters patchars path pipestatus prompt psvar reswords saliases signals status termcap terminfo userdirs usergroups watch widgets zsh_eval_context zsh_scheduled_events",
);

/** True for a variable that zsh treats specially and bash does not, or not in the same way. */
export const isSpecialInZsh = (name: string) => VARIABLES.has(name);

/** Words that zsh executes itself, where bash would look for a program. */
const COMMANDS = words(
  "- autoload bindkey bye chdir compadd comparguments compcall compctl compdescribe compfiles compgroups compquote compset comptags comptry compvalues disable echotc echoti emulate end float foreach functions getln integer limit log nocorrect noglob print private pushln r rehash repeat sched setopt ttyctl unfunction unhash unlimit unsetopt vared zcompile zformat zle zmodload zparseopts zregexparse zstyle always nocorrect",
);

/** True for a word that only zsh executes itself. Some of these are mere lookups, and are listed all the same. */
export const isCommandOfZsh = (name: string) => COMMANDS.has(name);
