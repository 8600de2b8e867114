import './api-keys/api-keys.graphql.ts';
import './me.graphql.ts';
import './tenants.graphql.ts';
