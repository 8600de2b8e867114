import { shards } from './shards.ts';
import { walkPlaces } from './walk-places.ts';

walkPlaces(shards.automation);
