import { commerceWords as w } from '#console/commerce/commerce.words.ts';
import { attributesSection } from '#console/commerce/own-attributes.tsx';
import { percent } from '#console/commerce/percent.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { ListLink, ObjectLink } from '#console/ui/object-link.tsx';
import { column, member, valuesOf } from '#console/ui/screens/columns.ts';
import { NestedList } from '#console/ui/screens/nested-list.tsx';
import { type Column, detail, list, nestedList, type RowOf, type Screens } from '#console/ui/screens/screen.ts';
import { fieldWord } from '#console/words/fields.ts';
import {
  CreateProduct,
  DeleteProduct,
  ProductPage,
  ProductPrices,
  Products,
  UpdateProduct,
} from './products.documents.ts';

/** What can be changed of a product, which keeps its SKU. */
const changed = ['name', 'description', 'taxRate', 'active', 'attributes'] as const;
const fields = ['sku', ...changed];

const productList = list('products', Products, {
  columns: [
    column(
      'sku',
      format.text((product) => product.sku),
      'minmax(112px, 1fr)',
    ),
    column(
      'name',
      format.text((product) => product.name),
      'minmax(160px, 3fr)',
    ),
    column(
      'taxRate',
      percent((product) => product.taxRate),
      '96px',
    ),
    member('active', format.flag, '72px'),
    member('updatedAt', format.time),
  ],
  orders: { sku: 'SKU', updatedAt: 'UPDATED_AT' },
  filters: [
    { kind: 'text', key: 'q', member: 'search', label: `${fieldWord('sku')}, ${fieldWord('name')}` },
    { kind: 'flag', key: 'active', label: fieldWord('active') },
  ],
  actions: [
    {
      key: 'create',
      label: w.newProduct,
      creates: true,
      document: CreateProduct,
      form: { fields, initial: () => ({ active: true }) },
      done: w.productCreated,
      opens: (payload) => ({ noun: 'products', id: (payload['product'] as { id: string }).id }),
    },
  ],
  empty: w.productsEmpty,
});

const priceColumns: Column<RowOf<ResultOf<typeof ProductPrices>, 'prices'>>[] = [
  member('list', format.text),
  member('quantityFrom', format.number),
  column(
    'amount',
    format.money(
      (price) => price.amount,
      (price) => price.currency,
    ),
  ),
  member('taxIncluded', format.flag),
  member('validFrom', format.exactTime),
  member('validUntil', format.exactTime),
];

const productPrices = nestedList(ProductPrices, (data) => data.prices, {
  columns: priceColumns,
  open: null,
  empty: w.noPrices,
});

/** The global id of an article's stock. */
const stockId = (sku: string) => btoa(String.fromCharCode(...new TextEncoder().encode(`Stock:${sku}`)));

const productPage = detail('product', ProductPage, {
  title: (product) => product.name,
  state: (product) => (product.active ? 'ACTIVE' : 'INACTIVE'),
  facts: [
    member('sku', format.handle),
    column(
      'taxRate',
      percent((product) => product.taxRate),
    ),
    {
      key: 'stock',
      label: w.stockOf,
      show: {
        text: (product) => product.sku,
        draw: ({ sku }) => (
          <ObjectLink noun="stock" id={stockId(sku)}>
            {w.stock(sku)}
          </ObjectLink>
        ),
      },
    },
    member('createdAt', format.exactTime),
    member('updatedAt', format.exactTime),
  ],
  sections: [
    {
      key: 'description',
      title: fieldWord('description'),
      when: (product) => product.description !== null,
      draw: (product) => <p dir="auto">{product.description}</p>,
    },
    attributesSection,
    {
      key: 'prices',
      title: w.productPrices,
      draw: ({ sku }) => (
        <>
          <p>
            <ListLink noun="prices" search={{ sku }}>
              {w.explain}
            </ListLink>
          </p>
          <NestedList screen={productPrices} variables={{ sku }} label={w.productPrices} />
        </>
      ),
    },
  ],
  actions: [
    {
      key: 'edit',
      saves: true,
      label: w.edit,
      document: UpdateProduct,
      allowed: (product) => product.viewerCan.update,
      form: { fields: changed, initial: valuesOf(...changed) },
      done: w.saved,
    },
    {
      key: 'delete',
      label: w.deleteProduct,
      document: DeleteProduct,
      allowed: (product) => product.viewerCan.delete,
      confirm: (product) => w.deleteProductConfirm(product.sku),
      isDanger: true,
      done: w.deleted,
    },
  ],
});

export const products: Screens = { list: productList, detail: productPage };
