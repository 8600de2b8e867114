import './products/products.graphql.ts';
import './settings/settings.graphql.ts';
