const LOGIN_ERROR =
  /no authentication information|authentication (?:is )?required|not (?:logged|signed) in|(?:please|must) (?:run \/login|log ?in|sign ?in|authenticate)|unauthori[sz]ed|(?:status|http|error|code)\W{1,3}401\b|missing environment variable|(?:invalid|missing|incorrect|no) (?:[\w-]+ )?api[ _-]?key|api[ _-]?key (?:is )?(?:missing|not set|not found|required|invalid)/i;

/** Whether an agent's error says that its login or key is missing or refused. Trying again does not change that. */
export const isLoginError = (message: string): boolean => LOGIN_ERROR.test(message);
