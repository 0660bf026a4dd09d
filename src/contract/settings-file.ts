import * as z from "zod";
import { Effort } from "./effort.ts";

/** A settings file of a user or of a project. `engine` contains some of the EngineSettings. */
export const SettingsFile = z.strictObject({
  version: z.literal(1).optional(),
  /** `provider/model` */
  model: z.string().min(1).max(300).optional(),
  effort: Effort.optional(),
  /** Only in the user's own file. */
  base_url: z.string().min(1).max(2000).optional(),
  skills: z
    .strictObject({
      /** More folders of skills. Only in the user's own file. */
      directories: z.array(z.string().min(1).max(1000)).max(50).optional(),
      /** Names of skills that are not offered. */
      disabled: z.array(z.string().min(1).max(100)).max(500).optional(),
    })
    .optional(),
  engine: z.record(z.string(), z.unknown()).optional(),
});
export type SettingsFile = z.infer<typeof SettingsFile>;
