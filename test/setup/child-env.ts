const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;

/** All that a child process has of this one's environment: where programs are found, and where compiled code is kept. */
export const inheritedEnv: Readonly<Record<string, string>> = { PATH, NODE_COMPILE_CACHE };
