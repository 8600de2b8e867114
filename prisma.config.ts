import { defineConfig } from 'prisma/config';

// For `prisma generate` alone: migrations are applied by src/infra/migrations/migrate.ts.
export default defineConfig({ schema: 'prisma/schema', migrations: { path: 'prisma/migrations' } });
