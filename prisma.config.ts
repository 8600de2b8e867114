import { defineConfig } from 'prisma/config';

// Migrations are applied by src/infra/migrations/migrate.ts, so that a start needs no engine binary; this serves `prisma generate`.
export default defineConfig({ schema: 'prisma/schema', migrations: { path: 'prisma/migrations' } });
