import { serverAudits } from 'graphql-http';
import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import { socketUrl } from '#test/setup/live.ts';

// The audits of https://github.com/graphql/graphql-over-http, by the library that its authors keep.
const names = serverAudits({ url: 'http://localhost' }).map(({ name }) => name);

// Requests with a token take another path through the server than those of Yoga.
describe.for(['anonymous', 'authenticated'])('GraphQL over HTTP, %s', (caller) => {
  test(`passes all ${names.length} audits`, async ({ api }) => {
    const url = (await socketUrl(api)).replace('ws:', 'http:');
    const authorization = `Bearer ${await api.token()}`;
    const fetchFn = (input: string, init: { headers?: Record<string, string> } = {}) =>
      fetch(input, {
        ...init,
        headers: {
          ...init.headers,
          ...(caller === 'authenticated' ? { authorization } : { 'x-graphql-yoga-csrf': '1' }),
        },
      });
    const failed: string[] = [];
    for (const audit of serverAudits({ url, fetchFn })) {
      const result = await audit.fn();
      if (result.status !== 'ok') failed.push(`${result.status}: ${result.name}: ${result.reason}`);
    }
    expect(names).toHaveLength(61);
    expect(failed).toEqual([]);
  });
});
