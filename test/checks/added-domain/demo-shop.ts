import { z } from 'zod';
import { defineBuiltinNode } from '#src/automation/node-api/builtin-node.ts';
import type { BuiltinPackage } from '#src/automation/node-api/builtin-package.ts';
import type { DomainManifest } from '#src/domains/domain-manifest.ts';
import { handle } from '#src/infra/background/job-handler.ts';
import { auditedDemoOrder, confirmDemoOrderJob, demoOrderPlaced, type DemoShop } from './demo-shop.service.ts';

const greet = defineBuiltinNode({
  slug: 'demo-shop:greet',
  version: '1.0.0',
  config: z.object({ number: z.string() }),
  effect: 'effect',
  uses: ['tenant'],
  execute: ({ number }, { ports }) => ({ outputs: { text: `Order ${number} of ${ports.tenant.id()}` } }),
});

const nodes: BuiltinPackage = {
  name: 'demo-shop',
  version: '1.0.0',
  label: 'Demo shop',
  manifests: [
    {
      manifest_version: 'v0-draft',
      slug: greet.slug,
      version: greet.version,
      name: 'Greet',
      kind: 'transform',
      config: [{ key: 'number', type: 'string', label: 'Number', required: true }],
    },
  ],
  credentialTypes: [],
  nodes: [greet],
};

/** A domain like another system would add: a noun with graph and route, a job, a topic, an audited action, a node. */
export const demoShop: DomainManifest = {
  name: 'demo-shop',
  declarations: { jobs: [confirmDemoOrderJob], topics: [demoOrderPlaced], audited: [auditedDemoOrder] },
  services: async () => ({
    nodePackages: () => [nodes],
    open({ deps }) {
      const services: DemoShop = { ...deps, orders: [], confirmed: [] };
      return { services: { demoShop: services } };
    },
  }),
  handlers: [
    handle(confirmDemoOrderJob, async ({ demoShop: { confirmed } }, { number }) => void confirmed.push(number)),
  ],
  graphql: () => import('./demo-shop.graphql.ts'),
  routes: async () => ({ service: (await import('./demo-shop.routes.ts')).demoShopRoutes }),
};
