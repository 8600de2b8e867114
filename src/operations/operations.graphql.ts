import './failed-jobs/failed-jobs.graphql.ts';
