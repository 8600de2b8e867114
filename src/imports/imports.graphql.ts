import './bulk-jobs/bulk-jobs.graphql.ts';
import './export-schedules/export-schedule-actions.graphql.ts';
import './http-sources/http-source-actions.graphql.ts';
import './import-schedules/import-schedule-actions.graphql.ts';
import './profiles/profiles.graphql.ts';
import './profiles/proposal.graphql.ts';
import './sftp-accounts/sftp-account-actions.graphql.ts';
import './uploads/uploads.graphql.ts';
