import './products/products.graphql.ts';
