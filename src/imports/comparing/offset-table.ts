import { freeBytes } from '#src/infra/memory.ts';

/** Bits of an offset; those above it tell most hashes apart without a look at what they are of. */
const offsetBits = 26;
const offsetMask = 2 ** offsetBits - 1;
/** Offsets are smaller than this. */
export const maxOffset = offsetMask;
/** Offsets of one hash that are looked at: with more of them, each would cost as much as comparing it in the database. */
const maxPerHash = 1_000;

/** Finds by a hash where something is in a buffer: 4 bytes a slot, outside of the heap. */
export interface OffsetTable {
  /** The first offset of that hash which `isIt`; 0 for none, -1 where there are too many to look at. */
  find: (hash: number, isIt: (offset: number) => boolean) => number;
  /** Adds an offset above 0 under the hash that nothing was found for. */
  add: (offset: number) => void;
  free: () => void;
}

/** Has room for so many, and is half full then. */
export function createOffsetTable(most: number): OffsetTable {
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * Math.max(1, most))));
  const mask = slots.length - 1;
  let slot = 0;
  let tag = 0;
  return {
    find(hash, isIt) {
      // Hashes of neighbours are neighbours, and so are their slots: files in the order of their keys stay in the processor's cache.
      tag = Math.imul(hash, 0x9e3779b1) & ~offsetMask;
      let left = maxPerHash;
      const block = Math.imul(hash >>> 4, 0x85ebca6b) >>> 9;
      for (slot = ((block << 4) | (hash & 15)) & mask; ; slot = (slot + 1) & mask) {
        const kept = slots[slot] as number;
        if (kept === 0) return 0;
        if ((kept & ~offsetMask) !== tag) continue;
        if (isIt(kept & offsetMask)) return kept & offsetMask;
        left -= 1;
        if (left === 0) return -1;
      }
    },
    add(offset) {
      slots[slot] = tag | offset;
    },
    free: () => freeBytes(slots),
  };
}
