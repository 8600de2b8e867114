import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

const session = z.object({
  clientId: z.string(),
  scope: z.string(),
  claims: z.record(z.string(), z.unknown()),
  /** SHA-256 of the only refresh token that is good now, in base64url. */
  hash: z.string(),
  /** Epoch milliseconds. */
  expiresAt: z.number(),
});

/** A signed-in browser. */
export type Session = z.infer<typeof session>;

const sessionsFile = z.record(z.string(), session);
const lifetimeMs = 12 * 3_600_000;
const maxSessions = 200;

/**
 * Refresh tokens that change with every use. A token that was used before ends its session, because somebody else may hold it (RFC 9700,
 * section 4.14.2). Sessions are kept in a file of the data directory, as hashes, so that a restart of the server signs nobody out.
 */
export class RefreshTokens {
  readonly #file: string;
  readonly #now: () => number;
  /** Serialises the changes of the file. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(file: string, now: () => number = Date.now) {
    this.#file = file;
    this.#now = now;
  }

  /** Begins a session, and returns its first token. */
  begin(started: Pick<Session, 'clientId' | 'scope' | 'claims'>): Promise<string> {
    return this.#change((sessions) => this.#renew(sessions, randomUUID(), started));
  }

  /** Exchanges a token for the next one of its session; undefined for any token that is not good now. */
  rotate(token: string, clientId: string): Promise<{ token: string; session: Session } | undefined> {
    return this.#change((sessions) => {
      const [id = ''] = token.split('.');
      const found = sessions.get(id);
      if (!found || found.clientId !== clientId) return undefined;
      if (found.hash !== hashToken(token)) {
        sessions.delete(id);
        return undefined;
      }
      return { token: this.#renew(sessions, id, found), session: found };
    });
  }

  /** Ends the sessions of a subject at a client. */
  end(clientId: string, sub: unknown): Promise<void> {
    return this.#change((sessions) => {
      for (const [id, each] of sessions)
        if (each.clientId === clientId && each.claims['sub'] === sub) sessions.delete(id);
    });
  }

  #renew(sessions: Map<string, Session>, id: string, kept: Pick<Session, 'clientId' | 'scope' | 'claims'>): string {
    const token = `${id}.${randomBytes(32).toString('base64url')}`;
    const { clientId, scope, claims } = kept;
    // Deleted first, so that the map's order is that of the last use.
    sessions.delete(id);
    sessions.set(id, { clientId, scope, claims, hash: hashToken(token), expiresAt: this.#now() + lifetimeMs });
    for (const oldest of sessions.keys()) {
      if (sessions.size <= maxSessions) break;
      sessions.delete(oldest);
    }
    return token;
  }

  #change<T>(change: (sessions: Map<string, Session>) => T): Promise<T> {
    const changed = this.#last.then(async () => {
      const sessions = await this.#read();
      const result = change(sessions);
      await this.#write(sessions);
      return result;
    });
    this.#last = changed.catch(() => undefined);
    return changed;
  }

  async #read(): Promise<Map<string, Session>> {
    const text = await readFile(this.#file, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '{}';
      throw error;
    });
    const stored = sessionsFile.safeParse(parseJson(text));
    const live = Object.entries(stored.data ?? {}).filter(([, { expiresAt }]) => expiresAt > this.#now());
    return new Map(live);
  }

  async #write(sessions: Map<string, Session>): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const draft = `${this.#file}.${process.pid}`;
    await writeFile(draft, JSON.stringify(Object.fromEntries(sessions)), { mode: 0o600 });
    await rename(draft, this.#file);
  }
}

const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** The parsed text; undefined for a file that was damaged, which then counts as empty. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
