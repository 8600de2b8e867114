import { expect, test } from 'vitest';
import { fillAddress, serverAddress } from '#console/docs/server-address.ts';

test.each([
  ['https://hub.example.com/', 'https://hub.example.com'],
  ['https://example.com/hub/', 'https://example.com/hub'],
  ['http://localhost:4000/', 'http://localhost:4000'],
])('a page with the base %s comes from %s', (base, server) => {
  expect(serverAddress(base)).toBe(server);
});

test('examples name this server, with its path, and its sockets by their own scheme', () => {
  const example = "curl http://localhost:4000/graphql; createClient({ url: 'ws://localhost:4000/graphql' })";
  expect(fillAddress(example, 'https://example.com/hub')).toBe(
    "curl https://example.com/hub/graphql; createClient({ url: 'wss://example.com/hub/graphql' })",
  );
});
