/** What a hook process prints and how it exits. */
export interface HookOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}
