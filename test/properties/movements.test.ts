import { testProperty } from '../chains/property.ts';
import { movements } from './movements.ts';

testProperty(movements);
