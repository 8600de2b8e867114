import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chart } from '#scripts/chart/chart-files.ts';
import { chartValues } from '#scripts/chart/chart-values.ts';
import { productVersion } from '#src/infra/product-version.ts';
import { readEnv } from '#src/process/env.ts';
import { longestDrainMs } from '#src/process/lifetime.ts';
import { bare, everything, least, nonsense } from './chart-values.ts';
import { isHelmMissing, lintChart, type Manifest, parseYaml, renderChart, skipped } from './render-chart.ts';
import { schemaFaults } from './schema-faults.ts';

interface Container {
  name: string;
  image: string;
  args?: string[];
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  ports: { name: string; containerPort: number }[];
  securityContext: Record<string, unknown>;
  [field: string]: unknown;
}
interface PodSpec {
  hostUsers?: boolean;
  serviceAccountName?: string;
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds: number;
  securityContext: Record<string, unknown>;
  topologySpreadConstraints: { topologyKey: string }[];
  containers: [Container];
  volumes: { name: string; [kind: string]: unknown }[];
}

const find = (manifests: Manifest[], kind: string, ending = ''): Manifest | undefined =>
  manifests.find((each) => each.kind === kind && each.metadata.name.endsWith(ending));
/** The parts that the tests read of the spec of a Deployment or Job (`template`) and of a Cluster (`bootstrap`). */
interface Spec {
  template: { metadata: { annotations: Record<string, string> }; spec: PodSpec };
  bootstrap: { initdb: { postInitApplicationSQL: string[] } };
}

/** The spec of the one object of a kind whose name ends so. */
const findSpec = (manifests: Manifest[], kind: string, ending = ''): Spec => {
  const found = find(manifests, kind, ending);
  expect(found, `${kind} *${ending}`).toBeDefined();
  return found?.['spec'] as Spec;
};
const findPod = (manifests: Manifest[], role: 'api' | 'worker' | 'migrate'): PodSpec => {
  const kind = role === 'migrate' ? 'Job' : 'Deployment';
  return findSpec(manifests, kind, `-${role}`).template.spec;
};
const strict = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};
/** The user of the image. */
const asImageUser = {
  runAsNonRoot: true,
  runAsUser: 10_001,
  runAsGroup: 10_001,
  fsGroup: 10_001,
  fsGroupChangePolicy: 'OnRootMismatch',
  seccompProfile: { type: 'RuntimeDefault' },
};

describe.skipIf(isHelmMissing)(`The chart${skipped}`, () => {
  test.for([
    { given: 'the fewest values', values: least },
    { given: 'everything on', values: everything },
    { given: 'everything off', values: bare },
  ])(
    'with $given renders what the schemas of Kubernetes and its operators know, each name once',
    async ({ values }) => {
      const manifests = await renderChart(values);
      expect((await Promise.all(manifests.map(schemaFaults))).flat()).toEqual([]);
      const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(new Set(names).size).toBe(names.length);
      for (const { metadata } of manifests) expect(metadata.labels['app.kubernetes.io/version']).toBe(productVersion);
    },
  );

  test('is held against schemas that miss neither a wrong value nor a field that is not there', async () => {
    const deployment = find(await renderChart(least), 'Deployment', '-api') as Manifest;
    const changed = (change: (pod: PodSpec) => void): Manifest => {
      const copy = structuredClone(deployment);
      change(findPod([copy], 'api'));
      return copy;
    };
    const wrong = changed((pod) => Object.assign(pod.containers[0], { imagePullPolicy: 7 }));
    expect((await schemaFaults(wrong)).join()).toContain(
      '/spec/template/spec/containers/0/imagePullPolicy type {"type":"string"}',
    );
    const unknown = changed((pod) => Object.assign(pod.containers[0], { livenesProbe: {} }));
    expect(await schemaFaults(unknown)).toEqual([
      'apps/v1 Deployment shop-causeway-api: no schema knows /spec/template/spec/containers/0/livenesProbe',
    ]);
  });

  test('passes the strict lint of Helm', async () => {
    await expect(lintChart(everything)).resolves.toContain('0 chart(s) failed');
  });

  test.for(nonsense)('refuses %j', async ([value, said]) => {
    await expect(renderChart({ ...least, ...value })).rejects.toThrow(said);
  });

  test('asks the health addresses of the product', async () => {
    const manifests = await renderChart(least);
    for (const [role, port] of [
      ['api', 'http'],
      ['worker', 'metrics'],
    ] as const) {
      const [container] = findPod(manifests, role).containers;
      expect(container).toMatchObject({
        startupProbe: { httpGet: { path: '/healthz', port } },
        livenessProbe: { httpGet: { path: '/healthz', port } },
        readinessProbe: { httpGet: { path: '/readyz', port } },
      });
    }
    const env = readEnv({});
    expect(findPod(manifests, 'api').containers[0].ports).toEqual([
      { name: 'http', containerPort: env.PORT },
      { name: 'metrics', containerPort: env.METRICS_PORT },
    ]);
  });

  test('never kills a process that still drains', async () => {
    const schema = JSON.parse(await readFile(join(chart, 'values.schema.json'), 'utf8'));
    for (const role of ['api', 'worker'] as const) {
      const { minimum } = schema.properties[role].properties.drainSeconds;
      expect(minimum).toBe(longestDrainMs[role] / 1_000 + 1);
    }
    const manifests = await renderChart({ ...least, api: { drainSeconds: 91, endpointSeconds: 7 } });
    const api = findPod(manifests, 'api');
    expect(api.containers[0]).toMatchObject({ lifecycle: { preStop: { sleep: { seconds: 7 } } } });
    expect(api.terminationGracePeriodSeconds).toBe(98);
    expect(findPod(manifests, 'worker').terminationGracePeriodSeconds).toBe(40);
  });

  test('gives every pod as few rights as the image allows, and a worker with a sandbox a user namespace', async () => {
    const manifests = await renderChart(least);
    for (const role of ['api', 'worker', 'migrate'] as const) {
      const pod = findPod(manifests, role);
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toEqual(asImageUser);
    }
    for (const role of ['api', 'migrate'] as const)
      expect(findPod(manifests, role).containers[0].securityContext).toEqual(strict);
    const worker = findPod(manifests, 'worker');
    expect(worker.hostUsers).toBe(false);
    expect(worker.containers[0].securityContext).toEqual({
      ...strict,
      procMount: 'Unmasked',
      appArmorProfile: { type: 'Unconfined' },
      seccompProfile: { type: 'Unconfined' },
    });
    const profiled = findPod(await renderChart(everything), 'worker').containers[0].securityContext;
    expect(profiled['seccompProfile']).toEqual({ type: 'Localhost', localhostProfile: 'profiles/causeway.json' });
    const confined = findPod(await renderChart(bare), 'worker');
    expect(confined.hostUsers).toBeUndefined();
    expect(confined.containers[0].securityContext).toEqual(strict);
  });

  test('runs the image of its own version, or of the digest that is given', async () => {
    const manifests = await renderChart(least);
    for (const role of ['api', 'worker', 'migrate'] as const)
      expect(findPod(manifests, role).containers[0].image).toBe(`causeway:${productVersion}`);
    expect(findPod(await renderChart(everything), 'api').containers[0].image).toMatch(/causeway@sha256:a{64}$/);
  });

  test('sets every process as the product wants to be set', async () => {
    for (const values of [least, everything, bare]) {
      const manifests = await renderChart(values);
      const settings = find(manifests, 'ConfigMap')?.['data'] as Record<string, string>;
      const secret = {
        DATABASE_URL: 'postgres://hub@db.example.com/hub',
        CREDENTIALS_KEY: Buffer.alloc(32, 1).toString('base64'),
        SECRETS_KEY: Buffer.alloc(32, 2).toString('base64'),
        URL_SIGNING_SECRET: 'a'.repeat(32),
      };
      for (const role of ['api', 'worker'] as const) {
        const own = findPod(manifests, role).containers[0].env.flatMap(({ name, value }) =>
          value ? [[name, value]] : [],
        );
        const env = readEnv({ ...secret, ...settings, ...Object.fromEntries(own) });
        expect(env).toMatchObject({ ROLE: role, NODE_ENV: 'production', PUBLIC_URL: 'https://hub.example.com' });
        expect(env.SANDBOX_ALLOW_NO_OS_BOUNDARY).toBe(role === 'worker' && values === bare);
      }
    }
  });

  test('starts new pods where a setting changes, and only there', async () => {
    const mark = async (values: object) => {
      const { template } = findSpec(await renderChart(values), 'Deployment', '-worker');
      return template.metadata.annotations['causeway/settings'];
    };
    const first = await mark(least);
    expect(await mark({ ...least, service: { port: 8080 } })).toBe(first);
    expect(await mark({ ...least, config: { LOG_LEVEL: 'warn' } })).not.toBe(first);
  });

  test('migrates before an install and an upgrade with nothing that is not there yet', async () => {
    const [least1, own] = [await renderChart(least), await renderChart(everything)];
    const job = find(least1, 'Job');
    expect(job?.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    const pod = findPod(least1, 'migrate');
    expect(pod.containers[0].args).toEqual(['migrate']);
    expect(pod.serviceAccountName).toBeUndefined();
    expect(JSON.stringify(pod)).not.toMatch(/configMap|persistentVolumeClaim/);
    expect(find(own, 'Job')?.metadata.annotations?.['helm.sh/hook']).toBe('pre-upgrade');
    expect(find(await renderChart(bare), 'Job')).toBeUndefined();
  });

  test('spreads each role, and replaces and evicts its pods one by one', async () => {
    const manifests = await renderChart(least);
    for (const role of ['api', 'worker'] as const) {
      expect(findPod(manifests, role).topologySpreadConstraints.map(({ topologyKey }) => topologyKey)).toEqual([
        'kubernetes.io/hostname',
        'topology.kubernetes.io/zone',
      ]);
      const spec = find(manifests, 'Deployment', `-${role}`)?.['spec'];
      expect(spec).toMatchObject({ replicas: 2, strategy: { rollingUpdate: { maxUnavailable: 0 } } });
      expect(find(manifests, 'PodDisruptionBudget', `-${role}`)?.['spec']).toMatchObject({ maxUnavailable: 1 });
      // A number would undo what the autoscaler does at every upgrade.
      expect(find(await renderChart(everything), 'Deployment', `-${role}`)?.['spec']).not.toHaveProperty('replicas');
    }
  });

  test('reads the database of CloudNativePG where it makes one, and keeps its data and files after an uninstall', async () => {
    const manifests = await renderChart(everything);
    const secretKeyRef = { name: 'shop-causeway-database-app', key: 'uri' };
    for (const role of ['api', 'worker', 'migrate'] as const)
      expect(findPod(manifests, role).containers[0].env).toContainEqual({
        name: 'DATABASE_URL',
        valueFrom: { secretKeyRef },
      });
    expect(findPod(manifests, 'api').containers[0].env).toContainEqual({
      name: 'DATABASE_REPLICA_URL',
      value: 'postgresql://$(REPLICA_USER):$(REPLICA_PASSWORD)@shop-causeway-database-ro:5432/$(REPLICA_DATABASE)',
    });
    expect(find(manifests, 'Cluster')?.metadata.name).toBe('shop-causeway-database');
    for (const kind of ['Cluster', 'PersistentVolumeClaim'])
      expect(find(manifests, kind)?.metadata.annotations?.['helm.sh/resource-policy']).toBe('keep');
    const roles = await readFile(join(chart, '../../docs/database.md'), 'utf8');
    const { bootstrap } = findSpec(manifests, 'Cluster');
    for (const statement of bootstrap.initdb.postInitApplicationSQL.slice(0, 2))
      expect(roles).toContain(`${statement};`);
  });

  test('stores files in a bucket, in the claim that is given, or in one of its own', async () => {
    const findFiles = async (values: object) => {
      const manifests = await renderChart(values);
      const volume = findPod(manifests, 'worker').volumes.find(({ name }) => name === 'files');
      return [volume, find(manifests, 'PersistentVolumeClaim')?.metadata.name];
    };
    const claim = (claimName: string) => ({ name: 'files', persistentVolumeClaim: { claimName } });
    expect(await findFiles(bare)).toEqual([{ name: 'files', emptyDir: {} }, undefined]);
    expect(await findFiles({ ...least, files: { existingClaim: 'shared' } })).toEqual([claim('shared'), undefined]);
    expect(await findFiles(least)).toEqual([claim('shop-causeway-files'), 'shop-causeway-files']);
  });

  test('has a row in the table of the docs for each of its values', async () => {
    const text = await readFile(join(chart, 'values.yaml'), 'utf8');
    const paths = (value: unknown, path: string[], rows: ReadonlySet<string>): string[] =>
      rows.has(path.join('.')) || typeof value !== 'object' || value === null
        ? [path.join('.')]
        : Object.entries(value).flatMap(([key, member]) => paths(member, [...path, key], rows));
    const listed = chartValues(text).map(({ path }) => path);
    expect(listed).toEqual(paths(parseYaml(text), [], new Set(listed)));
    const page = await readFile(join(chart, '../../docs/kubernetes.md'), 'utf8');
    for (const path of listed) expect(page).toContain(`\n| \`${path}\` | `);
  });
});
