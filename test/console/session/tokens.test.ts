import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HeldTokens, type Tokens } from '#console/session/tokens.ts';

const tokens = (lifetimeMs: number, remainingMs = lifetimeMs): Tokens => ({
  accessToken: 'access',
  refreshToken: 'refresh',
  idToken: null,
  claims: { sub: 'dev-admin', name: null, email: null },
  lifetimeMs,
  remainingMs,
  obtainedAt: 1,
});

describe('the life of an access token', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  test('is good until 30 s before its end, and is renewed a minute before it', () => {
    const held = new HeldTokens(tokens(900_000));
    expect(held.renewInMs).toBe(840_000);
    vi.advanceTimersByTime(870_000);
    expect(held.isGood).toBe(true);
    vi.advanceTimersByTime(1);
    expect(held.isGood).toBe(false);
    expect(held.renewInMs).toBe(0);
  });

  test('that is shorter than a minute is used for half of it', () => {
    const held = new HeldTokens(tokens(20_000));
    expect(held.isGood).toBe(true);
    vi.advanceTimersByTime(10_001);
    expect(held.isGood).toBe(false);
  });

  test('does not become longer when the clock is set back', () => {
    const held = new HeldTokens(tokens(900_000));
    vi.advanceTimersByTime(600_000);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(held.remainingMs).toBe(300_000);
  });

  test('counts the time that a machine slept, which its steady clock missed', () => {
    const held = new HeldTokens(tokens(900_000));
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(held.isGood).toBe(false);
  });

  test('is handed to another tab with what is left of it', () => {
    const held = new HeldTokens(tokens(900_000));
    vi.advanceTimersByTime(100_000);
    expect(new HeldTokens(held.shared).remainingMs).toBe(800_000);
  });
});
