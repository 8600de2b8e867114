import './addresses/addresses.graphql.ts';
import './contacts/contacts.graphql.ts';
import './cost-centres/cost-centres.graphql.ts';
import './organizations/organizations.graphql.ts';
import './attributes/attributes.graphql.ts';
import './products/products.graphql.ts';
import './settings/settings.graphql.ts';
import './stock/stock.graphql.ts';
