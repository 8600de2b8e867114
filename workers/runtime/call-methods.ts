/** What code in the sandbox can ask of its host. */
export const callMethods = [
  'http.request',
  'state.get',
  'state.set',
  'state.delete',
  'credentials.get',
  'files.read',
  'files.create',
  'files.write',
  'files.end',
  'files.drop',
] as const;

export type CallMethod = (typeof callMethods)[number];
