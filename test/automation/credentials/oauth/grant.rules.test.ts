import { describe, expect, test } from 'vitest';
import { endOf, grantOf, isUsable, refreshAtOf } from '#src/automation/credentials/oauth/grant.rules.ts';

const at = new Date('2026-03-01T12:00:00.000Z');
const grant = (more: object = {}) => grantOf({ access_token: 'a', token_type: 'bearer', ...more } as never, at);

describe('a grant', () => {
  test('is refreshed a minute before the access token ends, and after half of a short life', () => {
    const refreshed = (expires_in: number) => refreshAtOf(grant({ refresh_token: 'r', expires_in }));
    expect(refreshed(3_600)).toBe('2026-03-01T12:59:00.000Z');
    expect(refreshed(120)).toBe('2026-03-01T12:01:00.000Z');
    expect(refreshed(60)).toBe('2026-03-01T12:00:30.000Z');
    expect(refreshed(0)).toBe('2026-03-01T12:00:00.000Z');
  });

  test('is not refreshed without a refresh token or an expiry', () => {
    expect(refreshAtOf(grant({ expires_in: 60 }))).toBeNull();
    expect(refreshAtOf(grant({ refresh_token: 'r' }))).toBeNull();
  });

  test('ends with its refresh token, and without one with its access token', () => {
    expect(endOf(grant({ expires_in: 60 }))).toBe('2026-03-01T12:01:00.000Z');
    expect(endOf(grant({ expires_in: 60, refresh_token: 'r' }))).toBeNull();
    for (const told of [{ refresh_expires_in: 86_400 }, { refresh_token_expires_in: '86400' }]) {
      expect(endOf(grant({ expires_in: 60, refresh_token: 'r', ...told }))).toBe('2026-03-02T12:00:00.000Z');
    }
    // Keycloak, of an offline token.
    expect(endOf(grant({ expires_in: 60, refresh_token: 'r', refresh_expires_in: 0 }))).toBeNull();
  });

  test("keeps its refresh token and that token's expiry if a refresh brings no other", () => {
    const before = grant({ refresh_token: 'r', refresh_expires_in: 86_400, scope: 'read', expires_in: 60 });
    const later = new Date(at.getTime() + 60_000);
    const kept = grantOf({ access_token: 'b', token_type: 'bearer', expires_in: 60 } as never, later, before);
    expect(kept).toMatchObject({ access_token: 'b', refresh_token: 'r', scope: 'read' });
    expect(endOf(kept)).toBe('2026-03-02T12:00:00.000Z');
    const rotated = grantOf({ access_token: 'b', token_type: 'bearer', refresh_token: 's' } as never, later, before);
    expect(rotated).toMatchObject({ refresh_token: 's' });
    expect(endOf(rotated)).toBeNull();
  });

  test('is used while there is time left for a request to arrive', () => {
    const short = grant({ expires_in: 60 });
    const after = (seconds: number) => isUsable(short, new Date(at.getTime() + seconds * 1_000));
    expect([after(0), after(54), after(56), after(61)]).toEqual([true, true, false, false]);
    const shorter = grant({ expires_in: 4 });
    expect([2_900, 3_100].map((ms) => isUsable(shorter, new Date(at.getTime() + ms)))).toEqual([true, false]);
    expect(isUsable(grant(), new Date('2100-01-01T00:00:00Z'))).toBe(true);
  });
});
