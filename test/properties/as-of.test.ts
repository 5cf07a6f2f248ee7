import { testProperty } from '../chains/property.ts';
import { onReplicatedPostgres } from '../support/replicated-engine.ts';
import { pastBlocks } from './as-of.ts';

testProperty(pastBlocks);
testProperty(pastBlocks, onReplicatedPostgres);
