/** The fewest values that an install needs. */
export const least = { publicUrl: 'https://hub.example.com', oidcIssuer: 'https://id.example.com' };

/** Everything that is off by default, and every list with an element. */
export const everything = {
  ...least,
  config: { LOG_LEVEL: 'warn', WORKER_CONCURRENCY: '100' },
  image: { repository: 'registry.example.com/causeway', digest: `sha256:${'a'.repeat(64)}`, pullSecrets: ['registry'] },
  api: { autoscaling: { enabled: true, maxReplicas: 9 } },
  worker: { autoscaling: { enabled: true }, seccompProfile: 'profiles/causeway.json', drainSeconds: 31 },
  service: { annotations: { 'example.com/a': 'b' } },
  ingress: { enabled: true, className: 'nginx', annotations: { 'example.com/a': 'b' }, tlsSecret: 'hub-tls' },
  files: { storageClass: 'shared' },
  trustedCa: { configMap: 'own-ca' },
  postgres: {
    enabled: true,
    readReplicas: true,
    image: 'registry.example.com/postgresql:18',
    storageClass: 'fast',
    resources: { requests: { cpu: '1' } },
  },
  serviceAccount: { annotations: { 'example.com/role': 'causeway' } },
  networkPolicy: {
    enabled: true,
    apiFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    metricsFrom: [{ podSelector: { matchLabels: { name: 'prometheus' } } }],
  },
  podMonitor: { enabled: true, labels: { release: 'prometheus' } },
  podAnnotations: { 'example.com/a': 'b' },
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'shop', operator: 'Exists' }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
      },
    },
  },
  priorityClassName: 'high',
};

/** As small as it gets: a bucket, no boundary of the operating system, and all that is on by default turned off. */
export const bare = {
  ...least,
  config: { S3_BUCKET: 'acme' },
  api: { replicas: 1, endpointSeconds: 0 },
  worker: { replicas: 1, sandbox: 'none' },
  migrate: { enabled: false },
  serviceAccount: { create: false },
  disruptionBudget: { enabled: false },
  networkPolicy: { enabled: true },
};

/** Values that make no sense, and what Helm says of them. */
export const nonsense: [value: object, said: string][] = [
  [{ publicUrl: '' }, 'publicUrl: Does not match pattern'],
  [{ oidcIssuer: 'id.example.com' }, 'oidcIssuer: Does not match pattern'],
  [{ replicas: 3 }, 'Additional property replicas is not allowed'],
  [{ api: { replicas: 0 } }, 'api.replicas: Must be greater than or equal to 1'],
  [{ api: { drainSeconds: 90 } }, 'api.drainSeconds: Must be greater than or equal to 91'],
  [{ worker: { drainSeconds: 30 } }, 'worker.drainSeconds: Must be greater than or equal to 31'],
  [{ worker: { sandbox: 'off' } }, 'worker.sandbox must be one of the following: "os", "none"'],
  [
    { worker: { autoscaling: { enabled: true, minReplicas: 7 } } },
    'worker.autoscaling.minReplicas (7) is above maxReplicas (6).',
  ],
  [{ image: { tag: 'latest' } }, 'image.tag: Must not validate the schema (not)'],
  [{ config: { LOG_LEVELS: 'warn' } }, 'config: Property name of "LOG_LEVELS" does not match'],
  [
    { config: { DATABASE_URL: 'postgres://hub:secret@db/hub' } },
    'config: Property name of "DATABASE_URL" does not match',
  ],
  [
    { config: { WORKER_CONCURRENCY: 100 } },
    'config.WORKER_CONCURRENCY: Invalid type. Expected: string, given: integer',
  ],
  [{ disruptionBudget: { maxUnavailable: 0 } }, 'disruptionBudget.maxUnavailable'],
];
