import './audit/audit.graphql.ts';
import './outbox/outbox.graphql.ts';
