/**
 * JSON trees as the datastore needs them: exact numbers, and text byte for byte as Go writes it.
 */
@NullMarked
package io.ocicat.datastore.json;

import org.jspecify.annotations.NullMarked;
