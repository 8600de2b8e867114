import './me.graphql.ts';
import './tenants.graphql.ts';
