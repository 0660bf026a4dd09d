/** The preset's rule that asks about every call of `signalbox recipe`. */
export const OWN_RECIPES = "own-recipes";

/** The preset's rule that allows plain calls of `signalbox recipe run` in a contained session. */
export const RUN_RECIPES = "run-recipes";
