/** How a collection is paged by its description. Read by hand from the descriptions, not found by the code that is measured. */
export interface Collections {
  /** The name of a server in `paging-servers.ts`. */
  style: string;
  method?: 'POST';
  paths: string[];
}

const company = (paths: string): string[] => paths.split(' ').map((path) => `/companies({company_id})/${path}`);
const sets = (names: string): string[] => names.split(' ').map((name) => `/${name}`);
const account = (paths: string): string[] => paths.split(' ').map((path) => `/api/v1/accounts/{account_id}/${path}`);

/** Every operation of the real descriptions that returns a list and takes or returns a page, a position or a link, by file. */
export const pagedCollections: Readonly<Record<string, readonly Collections[]>> = {
  'billbee-swagger20.yaml': [
    {
      style: 'page with totals',
      paths: [
        '/api/v1/customer-addresses',
        '/api/v1/customers',
        '/api/v1/customers/{id}/orders',
        '/api/v1/customers/{id}/addresses',
        '/api/v1/orders',
        '/api/v1/orders/invoices',
        '/api/v1/products',
        '/api/v1/products/custom-fields',
        '/api/v1/shipment/shipments',
        '/api/v1/shopaccounts',
      ],
    },
  ],
  'business-central-v2-openapi30.json': [
    {
      style: '$skip',
      paths: [
        '/companies',
        ...company('customers vendors accounts dimensions paymentTerms'),
        ...company('salesInvoices salesInvoiceLines salesInvoices({salesInvoice_id})/salesInvoiceLines'),
        ...company('salesCreditMemos salesCreditMemoLines salesCreditMemos({salesCreditMemo_id})/salesCreditMemoLines'),
        ...company('purchaseInvoices purchaseInvoiceLines purchaseInvoices({purchaseInvoice_id})/purchaseInvoiceLines'),
      ],
    },
  ],
  'chatwoot-openapi30.json': [
    { style: 'page of a bare list', paths: account('contacts automation_rules') },
    { style: 'page of a bare list', method: 'POST', paths: account('contacts/filter') },
    { style: 'page of payload', paths: account('contacts/search') },
    { style: 'page of data.payload', paths: account('conversations') },
    { style: 'page of data.payload', method: 'POST', paths: account('conversations/filter') },
  ],
  'odata-trippin-v4.edmx': [
    {
      style: 'OData 4',
      paths: [
        ...sets('Photos People Airlines Airports'),
        "/People('{UserName}')/Microsoft.OData.SampleService.Models.TripPin.GetFriendsTrips(userName='{userName}')",
        "/Me/Microsoft.OData.SampleService.Models.TripPin.GetFriendsTrips(userName='{userName}')",
      ],
    },
  ],
  'sap-api-sales-order-v4.edmx': [
    {
      style: 'OData 4',
      paths: [
        ...sets('SalesOrder SalesOrderItem SalesOrderItemPartner SalesOrderItemPricingElement SalesOrderItemText'),
        ...sets('SalesOrderPartner SalesOrderPricingElement SalesOrderScheduleLine SalesOrderText'),
        ...sets('VarConfignAssignedValue VarConfignCharacteristic VariantConfiguration VariantConfigurationInstance'),
      ],
    },
  ],
  'sap-multiple-schemas-v4.edmx': [
    { style: 'OData 4', paths: sets('A_TestEntity1 A_TestEntity2 A_TestEntity3 A_TestEntity4') },
  ],
  'sap-test-v2.edmx': [
    {
      style: 'OData 2',
      paths: [
        ...sets('A_TestEntity A_TestEntityMultiLink A_TestEntityOtherMultiLink A_TestEntityLvl2MultiLink'),
        ...sets('A_TestEntitySingleLink A_TestEntityLvl2SingleLink A_CaseTest A_CASETEST'),
        ...sets('A_TestEntityWithSharedEntityType1 A_TestEntityWithSharedEntityType2'),
        ...sets('A_TestEntityCircularLinkParent A_TestEntityCircularLinkChild'),
        ...sets('A_TestEntityEndsWithCollection A_TestEntityEndsWithSomethingElse'),
        ...sets('TestFunctionImportEdmReturnTypeCollection TestFunctionImportEntityReturnTypeCollection'),
        ...sets('TestFunctionImportSharedEntityReturnTypeCollection TestFunctionImportComplexReturnTypeCollection'),
      ],
    },
  ],
  'sap-test-v4.edmx': [
    {
      style: 'OData 4',
      paths: [
        ...sets('A_TestEntity A_TestEntityMultiLink A_TestEntityOtherMultiLink A_TestEntityLvl2MultiLink'),
        ...sets('A_TestEntityLvl3MultiLink A_TestEntitySingleLink A_TestEntityLvl2SingleLink'),
        ...sets('A_TestEntityWithEnumKey A_TestEntityWithNoKeys'),
        ...sets('A_TestEntityWithSharedEntityType1 A_TestEntityWithSharedEntityType2'),
        ...sets('A_TestEntityCircularLinkParent A_TestEntityCircularLinkChild'),
        ...sets('A_TestEntityEndsWithCollection A_TestEntityEndsWithSomethingElse'),
        ...sets('TestFunctionImportEdmReturnTypeCollection() TestFunctionImportEntityReturnTypeCollection()'),
        ...sets('TestFunctionImportSharedEntityReturnTypeCollection() TestFunctionImportComplexReturnTypeCollection()'),
        "/TestFunctionImportNullableTest(NullablePerDefault='{NullablePerDefault}',NullableExplicit='{NullableExplicit}',NonNullable='{NonNullable}')",
      ],
    },
    { style: 'OData 4', method: 'POST', paths: ['/TestActionImportSharedEntityReturnTypeCollection'] },
  ],
  'shopware-admin-order-openapi31.json': [
    { style: 'links.next', paths: ['/order'] },
    { style: 'page in the body', method: 'POST', paths: ['/search/order'] },
  ],
  'weclapp-salesorder-article-openapi31.json': [{ style: 'page of result', paths: ['/salesOrder', '/webhook'] }],
  'xentral-salesorders-openapi31.json': [
    { style: 'links.next', paths: ['/api/v3/salesOrderTrafficLights', '/api/v3/salesOrders'] },
  ],
};
