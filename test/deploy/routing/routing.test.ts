import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isHelmMissing, parseYaml, skipped as yamlSkipped } from '#test/deploy/helm/render-chart.ts';
import { isRouterMissing, openRouter, type Router, skipped } from './haproxy.ts';

describe.skipIf(isRouterMissing)(`HAProxy${skipped}`, () => {
  let router: Router;
  beforeAll(async () => {
    router = await openRouter();
    await router.add('key-prefixes.map', '4fG7hJ2kL9mN 1');
    await router.add('endpoints.map', '4f2c9d0e8b7a6153 1');
    await router.add('handles.map', '0d9f6c1e-6f0a-4c55-9a43-6d2f8f1f2f10 1');
    await router.start();
  });
  afterAll(() => router.close());

  const ask = async (path: string, headers: Record<string, string> = {}): Promise<string> =>
    (await fetch(`http://127.0.0.1:${router.port}${path}`, { headers })).text();

  test.for([
    ['names no tenant', '/console/', {}, '0'],
    ['names a tenant of the first', '/graphql', { 'x-tenant-id': 'acme-shop' }, '0'],
    ['names a tenant of the second', '/graphql', { 'x-tenant-id': 'globex-shop' }, '1'],
    ['names a tenant that no map has', '/graphql', { 'x-tenant-id': 'nobody' }, '0'],
    ['is of an integration', '/v1/orders', { 'x-platform-tenant': 'globex-shop' }, '1'],
    ['has a key of the second', '/v1/orders', { 'x-platform-api-key': 'cw_4fG7hJ2kL9mN_secret' }, '1'],
    ['has a key that no map has', '/v1/orders', { 'x-platform-api-key': 'cw_000000000000_secret' }, '0'],
    ['calls an inbound endpoint of the second', '/in/4f2c9d0e8b7a6153', {}, '1'],
    ['calls another inbound endpoint', '/in/aaaaaaaaaaaaaaaa', {}, '0'],
    ['fires a webhook of the second', '/api/v1/webhooks/0d9f6c1e-6f0a-4c55-9a43-6d2f8f1f2f10', {}, '1'],
    ['opens a socket for a tenant of the second', '/graphql?tenant=globex-shop', {}, '1'],
    [
      'names a tenant in its header and another by its key: the header decides',
      '/v1/orders',
      { 'x-tenant-id': 'acme-shop', 'x-platform-api-key': 'cw_4fG7hJ2kL9mN_secret' },
      '0',
    ],
  ] as const)('leads a request to its installation that %s', async ([, path, headers, installation]) => {
    expect(await ask(path, headers)).toBe(installation);
  });

  test('leads a tenant that has moved to its new installation after a restart', async () => {
    const headers = { 'x-tenant-id': 'initech-shop' };
    expect(await ask('/graphql', headers)).toBe('0');
    await router.add('tenants.map', 'initech-shop 1');
    await router.stop();
    await router.start();
    expect(await ask('/graphql', headers)).toBe('1');
  });
});

interface Envoy {
  static_resources: {
    listeners: { filter_chains: { filters: { typed_config: { route_config: Routes } }[] }[] }[];
    clusters: { name: string; health_checks: { http_health_check: { path: string } }[] }[];
  };
}
interface Routes {
  virtual_hosts: { routes: { name: string; match: object; route: { cluster: string } }[] }[];
}

// Envoy itself is not run: Debian has no package of it.
test.skipIf(isHelmMissing)(
  `the example for Envoy leads every route to a cluster that it has, and all that is left to installation 0${yamlSkipped}`,
  async () => {
    const file = join(import.meta.dirname, '../../../deploy/routing/envoy/envoy.yaml');
    const { static_resources: example } = parseYaml(await readFile(file, 'utf8')) as Envoy;
    const clusters = example.clusters.map(({ name }) => name);
    expect(clusters).toEqual(['installation-0', 'installation-1']);
    for (const { health_checks: checks } of example.clusters) expect(checks[0]?.http_health_check.path).toBe('/readyz');
    const routes =
      example.listeners[0]?.filter_chains[0]?.filters[0]?.typed_config.route_config.virtual_hosts[0]?.routes ?? [];
    expect(routes).toHaveLength(7);
    for (const { name, route } of routes) expect(clusters, name).toContain(route.cluster);
    expect(routes.at(-1)).toMatchObject({ match: { prefix: '/' }, route: { cluster: 'installation-0' } });
  },
);
