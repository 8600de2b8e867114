import type { DraftSession } from './draft-session.ts';

/** However much is changed meanwhile. */
const mostSaves = 3;

/**
 * Saves what is unsaved now, and resolves once the server has answered. A save that was on its way lacks what was changed since, and what was
 * merged is sent once more.
 */
export async function saveAll(session: Pick<DraftSession, 'flush' | 'state'>): Promise<void> {
  for (let saves = 0; saves < mostSaves; saves += 1) {
    await session.flush();
    if (session.state().saving !== 'unsaved') return;
  }
}
