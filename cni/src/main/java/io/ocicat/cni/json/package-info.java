/**
 * Reads and writes JSON for CNI: strict and bounded, with exact numbers, and with the path of every
 * bad field.
 */
@NullMarked
package io.ocicat.cni.json;

import org.jspecify.annotations.NullMarked;
