import { importTool, type Manifest } from './render-chart.ts';

type Validate = ((value: unknown) => boolean) & {
  errors?: { instancePath: string; keyword: string; params: object }[] | null;
};

const kubernetes = 'kubernetes-models/_schemas/IoK8sApi';
const schemas: Record<string, string> = {
  'apps/v1 Deployment': `${kubernetes}AppsV1Deployment`,
  'autoscaling/v2 HorizontalPodAutoscaler': `${kubernetes}AutoscalingV2HorizontalPodAutoscaler`,
  'batch/v1 Job': `${kubernetes}BatchV1Job`,
  'monitoring.coreos.com/v1 PodMonitor':
    '@kubernetes-models/prometheus-operator/_schemas/ComGithubPrometheusOperatorPrometheusOperatorPkgApisMonitoringV1PodMonitor',
  'networking.k8s.io/v1 Ingress': `${kubernetes}NetworkingV1Ingress`,
  'networking.k8s.io/v1 NetworkPolicy': `${kubernetes}NetworkingV1NetworkPolicy`,
  'policy/v1 PodDisruptionBudget': `${kubernetes}PolicyV1PodDisruptionBudget`,
  'postgresql.cnpg.io/v1 Cluster':
    '@kubernetes-models/cloudnative-pg/_schemas/ComGithubCloudnativePgCloudnativePgApiV1Cluster',
  'v1 ConfigMap': `${kubernetes}CoreV1ConfigMap`,
  'v1 PersistentVolumeClaim': `${kubernetes}CoreV1PersistentVolumeClaim`,
  'v1 Service': `${kubernetes}CoreV1Service`,
  'v1 ServiceAccount': `${kubernetes}CoreV1ServiceAccount`,
};

/** What the schema of its kind says against a manifest, and its fields that the schema does not know. */
export async function schemaFaults(manifest: Manifest): Promise<string[]> {
  const kind = `${manifest.apiVersion} ${manifest.kind}`;
  const name = `${kind} ${manifest.metadata.name}`;
  if (schemas[kind] === undefined) return [`${name}: there is no schema of this kind in schema-faults.ts`];
  const { validate } = (await importTool(`${schemas[kind]}.js`)) as { validate: Validate };
  const { observed, unread } = observeReads(manifest);
  const isValid = validate(observed);
  const errors = isValid ? [] : (validate.errors ?? []);
  return [
    ...errors.map(
      ({ instancePath, keyword, params }) => `${name}: ${instancePath} ${keyword} ${JSON.stringify(params)}`,
    ),
    ...(isValid ? unread().map((path) => `${name}: no schema knows ${path}`) : []),
  ];
}

/** The compiled schemas let fields pass that they do not know. But they read every field that they know, and so are watched as they read. */
function observeReads(root: object) {
  const read = new Set<string>();
  const observe = (value: object, path: string): object =>
    new Proxy(value, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (typeof key === 'symbol') return member;
        const at = `${path}/${key}`;
        read.add(at);
        return typeof member === 'object' && member !== null ? observe(member, at) : member;
      },
    });
  const unreadBelow = (value: unknown, path: string): string[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([key, member]) =>
          read.has(`${path}/${key}`) ? unreadBelow(member, `${path}/${key}`) : [`${path}/${key}`],
        );
  return { observed: observe(root, ''), unread: () => unreadBelow(root, '') };
}
