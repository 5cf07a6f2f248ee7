import { testProperty } from '../chains/property.ts';
import { onEveryEngine } from '../support/engines.ts';
import { bulkBuild } from './bulk-build.ts';

testProperty(bulkBuild, onEveryEngine);
