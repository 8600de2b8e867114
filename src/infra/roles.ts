/** The roles of a token that satisfy each kind of access. */
export const rolesFor = {
  tester: ['user', 'admin', 'operator'],
  member: ['user', 'admin'],
  admin: ['admin'],
  operator: ['operator'],
} as const satisfies Record<string, readonly string[]>;
