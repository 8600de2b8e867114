import { walkShard } from './walk-shard.ts';

walkShard('operators');
