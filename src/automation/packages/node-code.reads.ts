import type { Deps } from '#src/infra/deps.ts';

/** A node's bundled code. */
export async function loadNodeCode({ database }: Deps, hash: string): Promise<string> {
  const { code } = await database.global.nodeCode.findUniqueOrThrow({ where: { hash }, select: { code: true } });
  return code;
}
