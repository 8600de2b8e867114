import './bulk-jobs/bulk-jobs.graphql.ts';
import './profiles/profiles.graphql.ts';
import './profiles/proposal.graphql.ts';
import './uploads/uploads.graphql.ts';
