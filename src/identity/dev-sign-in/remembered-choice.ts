import { jwtVerify } from 'jose';
import { z } from 'zod';
import type { DevIssuer } from '#src/identity/dev-issuer.ts';

const choice = z.object({ role: z.string(), place: z.string() });

/** What the user chose on the sign-in page. */
export type Choice = z.infer<typeof choice>;

const lifetimeSeconds = 12 * 3_600;
const path = '/dev/oidc';

/**
 * Keeps the last choice in a cookie, so that a page of the console that is loaded again signs in without asking, as with a provider in
 * production. The cookie is a token of the issuer with the issuer as its audience, so that neither the API nor a client takes it for theirs.
 */
export class RememberedChoice {
  readonly #issuer: DevIssuer;
  readonly #name: string;

  constructor(issuer: DevIssuer) {
    this.#issuer = issuer;
    // Browsers send a cookie to each port of a host, and several servers may run on this machine.
    this.#name = `causeway-sign-in-${new URL(issuer.issuer).port || '80'}`;
  }

  /** The choice in a `Cookie` header; undefined without one that is still good. */
  async read(header: string | undefined): Promise<Choice | undefined> {
    const cookie = header?.split('; ').find((each) => each.startsWith(`${this.#name}=`));
    const { keys, issuer } = this.#issuer;
    try {
      const { payload } = await jwtVerify(cookie?.slice(this.#name.length + 1) ?? '', keys, {
        issuer,
        audience: issuer,
      });
      return choice.safeParse(payload).data;
    } catch {
      return undefined;
    }
  }

  /** The `Set-Cookie` header that keeps a choice until the browser is closed, at most for 12 hours. */
  async keep({ role, place }: Choice): Promise<string> {
    const token = await this.#issuer.sign({ role, place }, lifetimeSeconds, this.#issuer.issuer);
    return `${this.#name}=${token}; Path=${path}; HttpOnly; SameSite=Lax`;
  }

  /** The `Set-Cookie` header that forgets it. */
  forget(): string {
    return `${this.#name}=; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=0`;
  }
}
