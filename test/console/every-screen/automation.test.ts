import { walkShard } from './walk-shard.ts';

walkShard('automation');
