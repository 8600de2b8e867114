import { alertMutations } from './alert-mutations.ts';
import { savedViewMutations } from './saved-view-mutations.ts';

/** Helpers to create the objects of a mutation. */
interface Making {
  mutate: (field: string, input: object) => Promise<unknown>;
  /** Runs a mutation and answers the id of the newest row of the table. */
  make: (field: string, input: object, table: string) => Promise<number>;
  /** A name that is used once. */
  name: () => string;
  /** Has an upload's file come. */
  received: (uploadId: number) => Promise<unknown>;
}

/** The mutations of keys, saved views and commerce that users run: what each needs, and `action resource_type` of what it writes. */
export function commerceMutations({ mutate, make, name, received }: Making) {
  const key = () => make('createApiKey', { name: name(), scopes: ['*'] }, 'api_keys');
  const product = async () => {
    const sku = name();
    return { sku, id: await make('createProduct', { sku, name: sku }, 'products') };
  };
  const newAttribute = () => ({ target: 'PRODUCT', code: name().toLowerCase().replace(' ', '_'), type: 'TEXT' });
  const attribute = () => make('createAttribute', newAttribute(), 'attributes');
  const newList = () => ({ code: name(), name: 'List', currency: 'EUR' });
  const list = () => make('createPriceList', newList(), 'price_lists');
  const movement = (sku: string) => ({ sku, kind: 'RECEIPT', quantity: '5', reference: name() });
  const stocked = async () => {
    const { sku } = await product();
    await mutate('bookMovement', movement(sku));
    return sku;
  };
  const newOrder = async () => ({
    currency: 'EUR',
    positions: [{ sku: await stocked(), quantity: '2', unitPrice: '1.50' }],
  });
  const order = async () => make('createOrder', await newOrder(), 'orders');
  const shipped = async () => {
    const orderId = await order();
    await mutate('createShipment', { orderId, reference: name() });
    return orderId;
  };

  const newProfile = () => ({ name: name(), target: 'stock', format: 'CSV' });
  const profile = () => make('createImportProfile', newProfile(), 'import_profiles');
  const startable = async () => {
    const named = newProfile();
    await mutate('createImportProfile', named);
    const uploadId = await make('createUpload', { filename: 'a.csv', contentType: 'text/csv' }, 'uploads');
    await received(uploadId);
    return { uploadId, profile: named.name };
  };

  const newAccount = () => ({
    name: name(),
    host: 'files.example.com',
    username: 'shop',
    password: 'a password',
    hostKey: `SHA256:${'A'.repeat(43)}`,
  });
  const account = () => make('createSftpAccount', newAccount(), 'sftp_accounts');
  const newSource = () => ({ name: name(), url: 'https://erp.example.com/stock.csv' });
  const source = () => make('createHttpSource', newSource(), 'http_sources');
  const newImportSchedule = async () => {
    const named = newProfile();
    await mutate('createImportProfile', named);
    return { accountId: await account(), profile: named.name, cron: '@daily' };
  };
  const importSchedule = async () => make('createImportSchedule', await newImportSchedule(), 'transfers');
  const newExportSchedule = async () => ({
    accountId: await account(),
    target: 'stock',
    filename: 'stock-{date}.csv',
    cron: '@daily',
  });
  const exportSchedule = async () => make('createExportSchedule', await newExportSchedule(), 'transfers');

  const newDestination = () => ({ name: name(), url: 'https://erp.example.com', topics: ['*'] });
  const destination = () => make('createWebhookDestination', newDestination(), 'webhook_destinations');
  const disabled = async () => {
    const id = await destination();
    await mutate('disableWebhookDestination', { id });
    return id;
  };

  const newEndpoint = () => ({
    name: name(),
    target: { topic: 'erp.stock.counted' },
    config: { secret: 'sixteen or more of it' },
  });
  const endpoint = () => make('createInboundEndpoint', newEndpoint(), 'inbound_endpoints');
  const closed = async () => {
    const id = await endpoint();
    await mutate('disableInboundEndpoint', { id });
    return id;
  };

  return {
    ...savedViewMutations({ make, name }),
    ...alertMutations({ make, name }),
    createInboundEndpoint: { input: newEndpoint, writes: ['create inbound_endpoint'] },
    updateInboundEndpoint: {
      input: async () => ({ id: await endpoint(), name: name() }),
      writes: ['update inbound_endpoint'],
    },
    deleteInboundEndpoint: { input: async () => ({ id: await endpoint() }), writes: ['delete inbound_endpoint'] },
    rotateInboundEndpoint: {
      input: async () => ({ id: await endpoint(), secret: 'another of sixteen or more' }),
      writes: ['rotate inbound_endpoint'],
    },
    enableInboundEndpoint: { input: async () => ({ id: await closed() }), writes: ['enable inbound_endpoint'] },
    disableInboundEndpoint: { input: async () => ({ id: await endpoint() }), writes: ['disable inbound_endpoint'] },
    createWebhookDestination: { input: newDestination, writes: ['create webhook_destination'] },
    updateWebhookDestination: {
      input: async () => ({ id: await destination(), name: name() }),
      writes: ['update webhook_destination'],
    },
    deleteWebhookDestination: {
      input: async () => ({ id: await destination() }),
      writes: ['delete webhook_destination'],
    },
    rotateWebhookSecret: { input: async () => ({ id: await destination() }), writes: ['rotate webhook_destination'] },
    enableWebhookDestination: { input: async () => ({ id: await disabled() }), writes: ['enable webhook_destination'] },
    disableWebhookDestination: {
      input: async () => ({ id: await destination() }),
      writes: ['disable webhook_destination'],
    },
    pingWebhookDestination: { input: async () => ({ id: await destination() }), writes: ['ping webhook_destination'] },
    recoverWebhookDestination: {
      input: async () => ({ id: await destination(), since: '2026-01-01T00:00:00Z' }),
      writes: ['recover webhook_destination'],
    },
    resendWebhookDelivery: {
      input: async () => ({
        id: await make('pingWebhookDestination', { id: await destination() }, 'webhook_deliveries'),
      }),
      writes: ['resend webhook_delivery'],
    },
    createImportProfile: { input: newProfile, writes: ['create import_profile'] },
    updateImportProfile: {
      input: async () => ({ id: await profile(), name: name() }),
      writes: ['update import_profile'],
    },
    deleteImportProfile: { input: async () => ({ id: await profile() }), writes: ['delete import_profile'] },
    startImport: { input: startable, writes: ['start bulk_job'] },
    startExport: { input: async () => ({ target: 'stock' }), writes: ['start bulk_job'] },
    cancelBulkJob: {
      input: async () => ({ id: await make('startImport', await startable(), 'bulk_jobs') }),
      writes: ['cancel bulk_job'],
    },
    createSftpAccount: { input: newAccount, writes: ['create sftp_account'] },
    updateSftpAccount: {
      input: async () => ({ id: await account(), password: 'another password' }),
      writes: ['update sftp_account'],
    },
    acceptSftpHostKey: {
      input: async () => ({ id: await account(), hostKey: `SHA256:${'B'.repeat(43)}` }),
      writes: ['accept_host_key sftp_account'],
    },
    deleteSftpAccount: { input: async () => ({ id: await account() }), writes: ['delete sftp_account'] },
    createHttpSource: { input: newSource, writes: ['create http_source'] },
    updateHttpSource: { input: async () => ({ id: await source(), name: name() }), writes: ['update http_source'] },
    deleteHttpSource: { input: async () => ({ id: await source() }), writes: ['delete http_source'] },
    createImportSchedule: { input: newImportSchedule, writes: ['create import_schedule'] },
    updateImportSchedule: {
      input: async () => ({ id: await importSchedule(), active: false }),
      writes: ['update import_schedule'],
    },
    runImportSchedule: { input: async () => ({ id: await importSchedule() }), writes: ['run import_schedule'] },
    deleteImportSchedule: { input: async () => ({ id: await importSchedule() }), writes: ['delete import_schedule'] },
    createExportSchedule: { input: newExportSchedule, writes: ['create export_schedule'] },
    updateExportSchedule: {
      input: async () => ({ id: await exportSchedule(), active: false }),
      writes: ['update export_schedule'],
    },
    runExportSchedule: { input: async () => ({ id: await exportSchedule() }), writes: ['run export_schedule'] },
    deleteExportSchedule: { input: async () => ({ id: await exportSchedule() }), writes: ['delete export_schedule'] },
    createApiKey: { input: () => ({ name: name(), scopes: ['*'] }), writes: ['create api_key'] },
    rotateApiKey: { input: async () => ({ id: await key() }), writes: ['rotate api_key'] },
    revokeApiKey: { input: async () => ({ id: await key() }), writes: ['revoke api_key'] },
    createProduct: { input: () => ({ sku: name(), name: 'Mug' }), writes: ['create product'] },
    updateProduct: { input: async () => ({ id: (await product()).id, name: name() }), writes: ['update product'] },
    deleteProduct: { input: async () => ({ id: (await product()).id }), writes: ['delete product'] },
    createAttribute: { input: newAttribute, writes: ['create attribute'] },
    updateAttribute: { input: async () => ({ id: await attribute(), label: name() }), writes: ['update attribute'] },
    deleteAttribute: { input: async () => ({ id: await attribute() }), writes: ['delete attribute'] },
    bookMovement: { input: async () => movement((await product()).sku), writes: ['book stock'] },
    transferStock: {
      input: async () => ({ sku: await stocked(), from: 'main', to: 'shop', quantity: '1', reference: name() }),
      writes: ['book stock', 'book stock'],
    },
    setReorderPoint: {
      input: async () => ({ sku: await stocked(), reorderPoint: '3' }),
      writes: ['set_reorder_point stock'],
    },
    createPriceList: { input: newList, writes: ['create price_list'] },
    updatePriceList: { input: async () => ({ id: await list(), name: name() }), writes: ['update price_list'] },
    deletePriceList: { input: async () => ({ id: await list() }), writes: ['delete price_list'] },
    upsertPrice: {
      input: async () => {
        const given = newList();
        await mutate('createPriceList', given);
        return { list: given.code, sku: (await product()).sku, amount: '9.90' };
      },
      writes: ['upsert price'],
    },
    createOrder: { input: newOrder, writes: ['create order'] },
    createShipment: {
      input: async () => ({ orderId: await order(), reference: name() }),
      writes: ['ship order'],
    },
    createReturn: {
      input: async () => ({ orderId: await shipped(), reference: name() }),
      writes: ['return order'],
    },
    recordPayment: {
      input: async () => ({ orderId: await order(), kind: 'CAPTURED', amount: '1.00', reference: name() }),
      writes: ['record_payment order'],
    },
    updateCommerceSettings: {
      input: () => ({ creditTimeoutMs: 1_000 + Number(name().split(' ')[1]) }),
      writes: ['update commerce_settings'],
    },
  };
}
