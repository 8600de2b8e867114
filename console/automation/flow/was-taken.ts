/** How a node ran, as far as its links need to know. */
interface Ran {
  tone: string;
  /** The branches that it went along; absent where that is not known. */
  branches?: readonly string[] | undefined;
}

/** Whether a run went along a link. A node that no branch led to is marked as cancelled; another branch may lead to the same node. */
export function wasTaken(from: Ran | undefined, to: Ran | undefined, branch: string | null): boolean {
  if (!from || !to || from.tone === 'cancelled' || to.tone === 'cancelled') return false;
  return from.branches?.includes(branch ?? 'default') ?? true;
}

/** The branches that a node went along. A step that failed names none, and may have gone on along one: they are not known then. */
export function branchesTaken(
  { byStatus, branches }: { byStatus: { succeeded: number; failed: number }; branches: readonly string[] },
  isInLoop: boolean,
): readonly string[] | undefined {
  const isKnown = byStatus.succeeded > 0 && !(isInLoop && byStatus.failed > 0);
  return isKnown ? branches : undefined;
}
