import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { conformAnswer, readSeconds } from '#src/automation/credentials/oauth/token-answer.rules.ts';

const json = (body: unknown, status = 200) =>
  conformAnswer({ status, contentType: 'application/json', text: JSON.stringify(body) });

describe('a token response', () => {
  test('that is valid is returned unchanged', () => {
    const body = { access_token: 'a', token_type: 'Bearer', expires_in: 3600, refresh_token: 'r', scope: 'x y' };
    expect(json(body)).toEqual({ status: 200, json: { ...body, token_type: 'bearer' } });
  });

  test.each<[string, object, object]>([
    ['no token type', {}, { token_type: 'bearer' }],
    ['a token type of its own', { token_type: 'bot' }, { token_type: 'bearer' }],
    ['a token type that needs a proof', { token_type: 'DPoP' }, { token_type: 'DPoP' }],
    ['a lifetime as text', { expires_in: '3600' }, { expires_in: 3600 }],
    ['an invalid lifetime', { expires_in: 'soon' }, { expires_in: undefined }],
    ['a lifetime before its begin', { expires_in: -1 }, { expires_in: undefined }],
    ['null for what is absent', { refresh_token: null, scope: null }, { refresh_token: undefined, scope: undefined }],
    ['an empty refresh token', { refresh_token: '' }, { refresh_token: undefined }],
    ['a list of scopes', { scope: ['a', 'b'] }, { scope: 'a b' }],
    ['an error beside its tokens', { error: 'none' }, { error: undefined }],
  ])('with %s is taken for what is meant', (_what, given, expected) => {
    expect(json({ access_token: 'a', ...given }, 201)).toMatchObject({ status: 200, json: expected });
  });

  test('that reports an error with status 200 is an error, in JSON or as a form', () => {
    expect(json({ error: 'bad_refresh_token' })).toMatchObject({ status: 400, json: { error: 'bad_refresh_token' } });
    const form = { status: 200, contentType: 'application/x-www-form-urlencoded; charset=utf-8' };
    expect(conformAnswer({ ...form, text: 'error=bad_code' })).toMatchObject({ status: 400 });
    expect(conformAnswer({ ...form, text: 'access_token=a&expires_in=60' })).toMatchObject({
      status: 200,
      json: { access_token: 'a', token_type: 'bearer', expires_in: 60 },
    });
  });

  test('with a server error keeps its status, whatever its body', () => {
    expect(json({ error: 'invalid_grant' }, 503).status).toBe(503);
    expect(json({ access_token: 'a' }, 500).status).toBe(500);
    expect(conformAnswer({ status: 502, contentType: 'text/html', text: '<html>' })).toEqual({
      status: 502,
      json: undefined,
    });
  });

  test('of any shape is parsed without throwing, and succeeds only with an access token', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 999 }),
        fc.string(),
        fc.oneof(fc.json(), fc.string()),
        (status, contentType, text) => {
          const answer = conformAnswer({ status, contentType, text });
          if (answer.status === 200 && answer.json !== undefined && typeof answer.json['error'] === 'string') {
            expect(answer.json['access_token']).toEqual(expect.any(String));
          }
        },
      ),
    );
  });

  test('never has a lifetime below zero or above ten years', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const seconds = readSeconds(value);
        expect(seconds === undefined || (seconds >= 0 && seconds <= 315_360_000)).toBe(true);
      }),
    );
  });
});
