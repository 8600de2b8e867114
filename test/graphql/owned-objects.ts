import { recordOrderSums } from '#src/commerce/metrics/metrics.service.ts';
import { readId } from '#src/infra/inputs.ts';
import type { TestApp } from '#test/setup/app.ts';
import { makeRun, makeWorkflow } from '#test/setup/runs.ts';

/** Makes an object of every type that implements Node, of acme-shop, and answers their global ids. Add a line for each new type. */
export async function makeOwned({ apiKey, deps, graphql }: TestApp): Promise<Record<string, string>> {
  const workflowId = await makeWorkflow(deps, 'acme-shop', 'Private');
  const runId = await makeRun(deps, 'acme-shop', workflowId);
  const { data } = await graphql<{ createTrigger: { trigger: { id: string; handle: string } } }>(
    `
      mutation ($id: ID!) {
        createTrigger(input: { workflowId: $id, type: WEBHOOK, name: "Hook" }) {
          ... on CreateTriggerPayload {
            trigger {
              id
              handle
            }
          }
        }
      }
    `,
    { id: workflowId },
  );
  const { id: triggerId, handle } = data.createTrigger.trigger;
  const fired = await graphql<{ fireWebhook: { deadLetterId: number } }>(
    'mutation ($handle: String!) { fireWebhook(input: { handle: $handle }) { ... on FireWebhookPayload { deadLetterId } } }',
    { handle },
  );
  const credential = await graphql<{ createCredential: { credential: { id: string } } }>(`
    mutation {
      createCredential(input: { credentialTypeSlug: "core:bearer", name: "Private", config: { token: "a-token" } }) {
        ... on CreateCredentialPayload {
          credential {
            id
          }
        }
      }
    }
  `);
  const log = await graphql<{ auditLog: { edges: { node: { id: string } }[] } }>(
    '{ auditLog(first: 1) { edges { node { id } } } }',
  );
  const scheduled = await graphql<{ createTrigger: { trigger: { schedule: { id: string } } } }>(
    `
      mutation ($id: ID!) {
        createTrigger(input: { workflowId: $id, type: SCHEDULE, name: "Daily", config: { cron: "@daily" } }) {
          ... on CreateTriggerPayload {
            trigger {
              schedule {
                id
              }
            }
          }
        }
      }
    `,
    { id: workflowId },
  );
  const revision = await graphql<{ workflowRevision: { id: string } }>(
    'query ($id: ID!) { workflowRevision(workflowId: $id, revision: 1) { id } }',
    { id: workflowId },
  );
  await deps.database.withTenant('acme-shop', async (tx) => {
    await tx.stateNamespace.create({ data: { tenantId: 'acme-shop', namespace: 'private' } });
    const key = 'a key/with: signs %';
    await tx.stateEntry.create({ data: { tenantId: 'acme-shop', namespace: 'private', key, value: 1, size: 20 } });
  });
  const kept = await graphql<{ putSecret: { secret: { id: string } } }>(
    'mutation { putSecret(input: { key: "PRIVATE", value: "a-secret" }) { ... on PutSecretPayload { secret { id } } } }',
  );
  const state = await graphql<{
    stateNamespaces: { edges: { node: { id: string } }[] };
    stateEntries: { edges: { node: { id: string } }[] };
  }>('{ stateNamespaces { edges { node { id } } } stateEntries(namespace: "private") { edges { node { id } } } }');
  const key = await graphql<{ createApiKey: { apiKey: { id: string } } }>(
    'mutation { createApiKey(input: { name: "Private", scopes: ["*"] }) { ... on CreateApiKeyPayload { apiKey { id } } } }',
  );
  const product = await graphql<{ createProduct: { product: { id: string } } }>(
    'mutation { createProduct(input: { sku: "PRIVATE", name: "Private" }) { ... on CreateProductPayload { product { id } } } }',
  );
  const priced = await graphql<Record<string, Record<string, { id: string }>>>(
    'mutation { createPriceList(input: { code: "PRIVATE", name: "Private", currency: "EUR" }) { ... on CreatePriceListPayload { priceList { id } } } upsertPrice(input: { list: "PRIVATE", sku: "PRIVATE", amount: "1" }) { ... on UpsertPricePayload { price { id } } } }',
  );
  const { upsertOrganization } = (
    await graphql<{ upsertOrganization: { organization: { id: string } } }>(
      'mutation { upsertOrganization(input: { customerNumber: "PRIVATE", name: "Private" }) { ... on UpsertOrganizationPayload { organization { id } } } }',
      {},
      { apiKey: await apiKey(['customers:write']) },
    )
  ).data;
  const customers = await graphql<{
    createContact: { contact: { id: string } };
    upsertCostCentre: { costCentre: { id: string } };
  }>(
    `
      mutation ($organizationId: ID!) {
        createContact(input: { organizationId: $organizationId, email: "private@example.com" }) {
          ... on CreateContactPayload {
            contact {
              id
            }
          }
        }
        upsertCostCentre(input: { organizationId: $organizationId, code: "PRIVATE" }) {
          ... on UpsertCostCentrePayload {
            costCentre {
              id
            }
          }
        }
      }
    `,
    { organizationId: upsertOrganization.organization.id },
  );
  const inbound = await graphql<{ createInboundEndpoint: { inboundEndpoint: { id: string } } }>(`
    mutation {
      createInboundEndpoint(
        input: { name: "Private", config: { secret: "a-secret-of-nobody" }, target: { topic: "erp.private" } }
      ) {
        ... on CreateInboundEndpointPayload {
          inboundEndpoint {
            id
          }
        }
      }
    }
  `);
  const hook = await graphql<{ createWebhookDestination: { webhookDestination: { id: string } } }>(
    'mutation { createWebhookDestination(input: { name: "Private", url: "https://example.com", topics: ["*"] }) { ... on CreateWebhookDestinationPayload { webhookDestination { id } } } }',
  );
  const destinationId = hook.data.createWebhookDestination.webhookDestination.id;
  const ping = await graphql<{ pingWebhookDestination: { webhookDelivery: { id: string } } }>(
    'mutation ($id: ID!) { pingWebhookDestination(input: { id: $id }) { ... on PingWebhookDestinationPayload { webhookDelivery { id } } } }',
    { id: destinationId },
  );
  const attribute = await graphql<{ createAttribute: { attribute: { id: string } } }>(
    'mutation { createAttribute(input: { target: PRODUCT, code: "private", type: TEXT }) { ... on CreateAttributePayload { attribute { id } } } }',
  );
  const moved = await graphql<{ bookMovement: { movement: { id: string } } }>(`
    mutation {
      bookMovement(input: { sku: "PRIVATE", kind: RECEIPT, quantity: "1", reference: "private" }) {
        ... on BookMovementPayload {
          movement {
            id
          }
        }
      }
    }
  `);
  const order = await deps.database.withTenantSql('acme-shop', async (tx) => {
    const { rows } = await tx.query<Record<'order' | 'position' | 'shipment' | 'return' | 'payment', number>>(
      `WITH made AS (
         INSERT INTO orders (tenant_id, number, currency, net, tax, gross, placed_at, created_at, updated_at)
         VALUES ('acme-shop', 1, 'EUR', 1, 0, 1, now(), now(), now()) RETURNING id), lines AS (
         INSERT INTO order_positions
           (tenant_id, order_id, line, sku, name, location, quantity, unit_price, tax_rate, line_total, tax, reserved)
         SELECT 'acme-shop', id, 1, 'PRIVATE', 'Private', 'main', 1, 1, 0, 1, 0, 0 FROM made RETURNING id
       ), sent AS (
         INSERT INTO fulfillments (tenant_id, order_id, kind, reference)
         SELECT 'acme-shop', id, unnest(ARRAY['shipment', 'return']), 'PRIVATE' FROM made RETURNING kind, id
       ), paid AS (
         INSERT INTO payments (tenant_id, order_id, kind, amount, reference)
         SELECT 'acme-shop', id, 'captured', 1, 'PRIVATE' FROM made RETURNING id
       )
       SELECT made.id AS order, lines.id AS position, paid.id AS payment,
         (SELECT id FROM sent WHERE kind = 'shipment') AS shipment, (SELECT id FROM sent WHERE kind = 'return') AS return
       FROM made, lines, paid`,
    );
    return rows[0];
  });
  const organizationId = readId('Organization', upsertOrganization.organization.id);
  await deps.database.withTenant('acme-shop', (tx) =>
    recordOrderSums(tx, 'acme-shop', { organizationId, currency: 'EUR', placedAt: new Date(), net: '1', sign: 1 }),
  );
  const metrics = await graphql<{ organizationMetrics: { edges: { node: { id: string } }[] } }>(
    '{ organizationMetrics { edges { node { id } } } }',
  );
  await deps.database.system.query(
    `INSERT INTO steps (tenant_id, run_id, path, node_id, attempt, status, started_at, completed_at)
     VALUES ('acme-shop', $1, 'each/1/map', 'map', 1, 'succeeded', now(), now())`,
    [runId],
  );
  const importing = await deps.database.withTenantSql('acme-shop', async (tx) => {
    const { rows } = await tx.query<Record<'upload' | 'profile' | 'job', number>>(
      `WITH sent AS (
         INSERT INTO uploads (tenant_id, filename, content_type) VALUES ('acme-shop', 'private.csv', 'text/csv') RETURNING id
       ), kept AS (
         INSERT INTO import_profiles (tenant_id, name, target, format) VALUES ('acme-shop', 'Private', 'stock', 'csv') RETURNING id
       ), made AS (
         INSERT INTO bulk_jobs (tenant_id, target, profile, profile_name, upload_id, dry_run)
         SELECT 'acme-shop', 'stock', '{}', 'Private', id, false FROM sent RETURNING id
       )
       SELECT sent.id AS upload, kept.id AS profile, made.id AS job FROM sent, kept, made`,
    );
    return rows[0];
  });
  const { rows: themes } = await deps.database.system.query<{ id: number }>(
    `INSERT INTO themes (vendor, name, version, title) VALUES ('acme', 'private', '1.0.0', 'Private') RETURNING id`,
  );
  const extended = await deps.database.withTenantSql('acme-shop', async (tx) => {
    await tx.query(`INSERT INTO extension_names (vendor, name, tenant_id) VALUES ('acme', 'private', 'acme-shop')`);
    const { rows } = await tx.query<Record<'theme' | 'extension' | 'installation', number>>(
      `WITH theme AS (
         INSERT INTO theme_installations (tenant_id, key, theme_id) VALUES ('acme-shop', 'acme/private', $1) RETURNING id
       ), extension AS (
         INSERT INTO extensions (tenant_id, vendor, name, version, title, type, url, target_theme, target_version, manifest, integrity)
         VALUES ('acme-shop', 'acme', 'private', '1.0.0', 'Private', 'public', 'https://private.example.com', 'acme/private', '*',
           '{"target": {"theme": "acme/private", "version": "*"}, "blocks": [{"id": "private", "island": "Private", "title": "Private", "enabledOn": ["page"]}]}', '{}')
         RETURNING id
       ), installation AS (
         INSERT INTO extension_installations (tenant_id, extension_id, vendor, name)
         SELECT 'acme-shop', id, 'acme', 'private' FROM extension RETURNING id
       )
       SELECT theme.id AS theme, extension.id AS extension, installation.id AS installation
       FROM theme, extension, installation`,
      [themes[0]?.id],
    );
    return rows[0];
  });
  const transferring = await deps.database.withTenantSql('acme-shop', async (tx) => {
    const { rows } = await tx.query<Record<'account' | 'source' | 'importing' | 'exporting', number>>(
      `WITH account AS (
         INSERT INTO sftp_accounts (tenant_id, name, host, port, username, login_by, host_key)
         VALUES ('acme-shop', 'Private', 'files.example.com', 22, 'private', 'password', 'SHA256:private') RETURNING id
       ), source AS (
         INSERT INTO http_sources (tenant_id, name, url) VALUES ('acme-shop', 'Private', 'https://private.example.com') RETURNING id
       ), transfer AS (
         INSERT INTO transfers (tenant_id, direction, account_id, profile, cron, timezone)
         SELECT 'acme-shop', direction, account.id, 'private', '@daily', 'UTC'
         FROM account, unnest(ARRAY['import', 'export']) AS direction RETURNING id, direction
       )
       SELECT account.id AS account, source.id AS source,
         (SELECT id FROM transfer WHERE direction = 'import') AS importing,
         (SELECT id FROM transfer WHERE direction = 'export') AS exporting
       FROM account, source`,
    );
    return rows[0];
  });
  const action = await deps.database.withTenantSql('acme-shop', async (tx) => {
    const { rows } = await tx.query<{ id: number }>(
      `INSERT INTO bulk_actions (tenant_id, kind, org_id, actor_user_id, actor_sub, channel)
       VALUES ('acme-shop', 'retry_runs', 'acme', 1, 'private', 'api') RETURNING id`,
    );
    return rows[0];
  });
  const group = await deps.database.withTenantSql('acme-shop', async (tx) => {
    const { rows } = await tx.query<{ id: string }>(
      `INSERT INTO error_groups (tenant_id, id, kind, code, message) VALUES ('acme-shop', gen_random_uuid(), 'run', 'PRIVATE', 'Private.') RETURNING id`,
    );
    return rows[0];
  });
  const view = await graphql<{ createSavedView: { savedView: { id: string } } }>(
    'mutation { createSavedView(input: { list: "runs", name: "Private" }) { ... on CreateSavedViewPayload { savedView { id } } } }',
  );
  const told = await graphql<{ createAlertRecipient: { alertRecipient: { id: string } } }>(
    'mutation { createAlertRecipient(input: { name: "Private", kinds: [FAILED_RUNS], url: "https://example.com" }) { ... on CreateAlertRecipientPayload { alertRecipient { id } } } }',
  );
  const globalId = (type: string, id: number | string) => Buffer.from(`${type}:${id}`).toString('base64');
  return {
    AlertRecipient: told.data.createAlertRecipient.alertRecipient.id,
    SavedView: view.data.createSavedView.savedView.id,
    BulkAction: globalId('BulkAction', action?.id as number),
    ErrorGroup: globalId('ErrorGroup', group?.id as string),
    ThemeInstallation: globalId('ThemeInstallation', extended?.theme as number),
    Extension: globalId('Extension', extended?.extension as number),
    Installation: globalId('Installation', extended?.installation as number),
    InboundEndpoint: inbound.data.createInboundEndpoint.inboundEndpoint.id,
    Attribute: attribute.data.createAttribute.attribute.id,
    ApiKey: key.data.createApiKey.apiKey.id,
    Organization: upsertOrganization.organization.id,
    OrganizationMetrics: metrics.data.organizationMetrics.edges[0]?.node.id as string,
    Contact: customers.data.createContact.contact.id,
    CostCentre: customers.data.upsertCostCentre.costCentre.id,
    Movement: moved.data.bookMovement.movement.id,
    Stock: btoa('Stock:PRIVATE'),
    PriceList: priced.data['createPriceList']?.['priceList']?.id as string,
    Price: priced.data['upsertPrice']?.['price']?.id as string,
    Order: globalId('Order', order?.order as number),
    OrderPosition: globalId('OrderPosition', order?.position as number),
    Shipment: globalId('Shipment', order?.shipment as number),
    Return: globalId('Return', order?.return as number),
    Payment: globalId('Payment', order?.payment as number),
    Upload: globalId('Upload', importing?.upload as number),
    ImportProfile: globalId('ImportProfile', importing?.profile as number),
    SftpAccount: globalId('SftpAccount', transferring?.account as number),
    HttpSource: globalId('HttpSource', transferring?.source as number),
    ImportSchedule: globalId('ImportSchedule', transferring?.importing as number),
    ExportSchedule: globalId('ExportSchedule', transferring?.exporting as number),
    BulkJob: globalId('BulkJob', importing?.job as number),
    WebhookDestination: destinationId,
    WebhookDelivery: ping.data.pingWebhookDestination.webhookDelivery.id,
    Product: product.data.createProduct.product.id,
    Workflow: globalId('Workflow', workflowId),
    Run: globalId('Run', runId),
    Step: globalId('Step', `${runId}/1/each/1/map`),
    Trigger: triggerId,
    Credential: credential.data.createCredential.credential.id,
    DeadLetter: globalId('DeadLetter', fired.data.fireWebhook.deadLetterId),
    AuditEntry: log.data.auditLog.edges[0]?.node.id as string,
    Schedule: scheduled.data.createTrigger.trigger.schedule.id,
    WorkflowRevision: revision.data.workflowRevision.id,
    TenantSecret: kept.data.putSecret.secret.id,
    StateNamespace: state.data.stateNamespaces.edges[0]?.node.id as string,
    StateEntry: state.data.stateEntries.edges[0]?.node.id as string,
    handle,
  };
}
