import type { Property } from '../chains/property.ts';
import { pastBlocks } from './as-of.ts';
import { conservation } from './conservation.ts';
import { counts } from './counts.ts';
import { deliveryOrder } from './delivery-order.ts';
import { downloads } from './downloads.ts';
import { hostile } from './hostile-events.ts';
import { live } from './live.ts';
import { model } from './model.ts';
import { movements } from './movements.ts';
import { repeats } from './repeats.ts';
import { restarts } from './restarts.ts';
import { soundness } from './soundness.ts';
import { undo } from './undo.ts';
import { walks } from './walks.ts';

/** Every property, as the soak runner tries them in turn. */
export const PROPERTIES: readonly Property[] = [
  deliveryOrder,
  undo,
  repeats,
  counts,
  conservation,
  restarts,
  soundness,
  hostile,
  model,
  live,
  walks,
  pastBlocks,
  movements,
  downloads,
];
