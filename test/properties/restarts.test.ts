import { testProperty } from '../chains/property.ts';
import { restarts } from './restarts.ts';

testProperty(restarts);
