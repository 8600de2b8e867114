import { describe, expect, test } from 'vitest';
import { grantEnd, toGrant, isUsable, planRefresh } from '#src/automation/credentials/oauth/grant.rules.ts';
import { isSecretMember } from '#src/automation/credentials/oauth/token-members.rules.ts';

const at = new Date('2026-03-01T12:00:00.000Z');
const grant = (more: object = {}) => toGrant({ access_token: 'a', token_type: 'bearer', ...more } as never, at);

describe('a grant', () => {
  test('is refreshed a minute before the access token expires, or after half of a short lifetime', () => {
    const refreshed = (expires_in: number) => planRefresh(grant({ refresh_token: 'r', expires_in }));
    expect(refreshed(3_600)).toBe('2026-03-01T12:59:00.000Z');
    expect(refreshed(120)).toBe('2026-03-01T12:01:00.000Z');
    expect(refreshed(60)).toBe('2026-03-01T12:00:30.000Z');
    expect(refreshed(0)).toBe('2026-03-01T12:00:00.000Z');
  });

  test('is not refreshed without a refresh token or an expiry', () => {
    expect(planRefresh(grant({ expires_in: 60 }))).toBeNull();
    expect(planRefresh(grant({ refresh_token: 'r' }))).toBeNull();
  });

  test('expires with its refresh token, or with its access token if it has none', () => {
    expect(grantEnd(grant({ expires_in: 60 }))).toBe('2026-03-01T12:01:00.000Z');
    expect(grantEnd(grant({ expires_in: 60, refresh_token: 'r' }))).toBeNull();
    for (const told of [{ refresh_expires_in: 86_400 }, { refresh_token_expires_in: '86400' }]) {
      expect(grantEnd(grant({ expires_in: 60, refresh_token: 'r', ...told }))).toBe('2026-03-02T12:00:00.000Z');
    }
    // Keycloak, of an offline token.
    expect(grantEnd(grant({ expires_in: 60, refresh_token: 'r', refresh_expires_in: 0 }))).toBeNull();
  });

  test("keeps its refresh token and that token's expiry if a refresh returns no other", () => {
    const before = grant({ refresh_token: 'r', refresh_expires_in: 86_400, scope: 'read', expires_in: 60 });
    const later = new Date(at.getTime() + 60_000);
    const kept = toGrant({ access_token: 'b', token_type: 'bearer', expires_in: 60 } as never, later, before);
    expect(kept).toMatchObject({ access_token: 'b', refresh_token: 'r', scope: 'read' });
    expect(grantEnd(kept)).toBe('2026-03-02T12:00:00.000Z');
    const rotated = toGrant({ access_token: 'b', token_type: 'bearer', refresh_token: 's' } as never, later, before);
    expect(rotated).toMatchObject({ refresh_token: 's' });
    expect(grantEnd(rotated)).toBeNull();
  });

  test('is used while the remaining time is enough for a request', () => {
    const short = grant({ expires_in: 60 });
    const after = (seconds: number) => isUsable(short, new Date(at.getTime() + seconds * 1_000));
    expect([after(0), after(54), after(56), after(61)]).toEqual([true, true, false, false]);
    const shorter = grant({ expires_in: 4 });
    expect([2_900, 3_100].map((ms) => isUsable(shorter, new Date(at.getTime() + ms)))).toEqual([true, false]);
    expect(isUsable(grant(), new Date('2100-01-01T00:00:00Z'))).toBe(true);
  });

  test('keeps the last known lifetime if a refresh does not name one', () => {
    const before = grant({ refresh_token: 'r', expires_in: 120 });
    const refreshed = (seen: typeof before, more: object = {}) =>
      toGrant({ access_token: 'b', token_type: 'bearer', ...more } as never, at, seen);
    expect(refreshed(before).expires_at).toBe('2026-03-01T12:02:00.000Z');
    expect(refreshed(refreshed(before)).expires_at).toBe('2026-03-01T12:02:00.000Z');
    expect(refreshed(before, { expires_in: 60 }).expires_at).toBe('2026-03-01T12:01:00.000Z');
    // One that was stored before lifetimes were.
    expect(refreshed({ ...before, lifetime_s: null }).expires_at).toBe('2026-03-01T12:02:00.000Z');
    expect(refreshed(grant({ refresh_token: 'r' })).expires_at).toBeNull();
  });

  test.each([
    [{ expires_at: Date.parse('2026-03-01T12:10:00Z') / 1_000 }, '2026-03-01T12:10:00.000Z'],
    [{ expires_at: String(Date.parse('2026-03-01T12:10:00Z')) }, '2026-03-01T12:10:00.000Z'],
    [{ expires_at: '2026-03-01T13:10:00+01:00' }, '2026-03-01T12:10:00.000Z'],
    [{ expires_on: String(Date.parse('2026-03-01T12:10:00Z') / 1_000) }, '2026-03-01T12:10:00.000Z'],
    // Relative times do not depend on two clocks.
    [{ expires_in: 60, expires_at: '2026-03-01T18:00:00Z' }, '2026-03-01T12:01:00.000Z'],
    [{ expires_at: '2026-03-01T11:00:00Z' }, null],
    [{ expires_at: 'soon' }, null],
    [{ expires_at: 600 }, null],
  ])('lasts as long as %j says', (told, until) => {
    expect(grant(told).expires_at).toBe(until);
  });

  test('keeps other members of the provider’s responses, including earlier ones', () => {
    const before = grant({
      instance_url: 'https://eu1.example.com',
      issued_at: '1770000000',
      id_token: 'x',
      list: [1],
    });
    expect(before.members).toEqual({ instance_url: 'https://eu1.example.com', issued_at: '1770000000' });
    const later = toGrant({ access_token: 'b', token_type: 'bearer', issued_at: '2' } as never, at, before);
    expect(later.members).toEqual({ instance_url: 'https://eu1.example.com', issued_at: '2' });
  });

  test.each([
    ['instance_url', 'https://eu1.example.com', false],
    ['realmId', '9130355', false],
    ['instance_url', 'https://eu1.example.com/?key=x', true],
    ['session_id', 'x', true],
    ['signature', 'x', true],
    ['paid', 'x', true],
    ['count', 3, false],
  ])('treats %s %j as a secret: %j', (name, value, isSecret) => {
    expect(isSecretMember(name, value)).toBe(isSecret);
  });
});
