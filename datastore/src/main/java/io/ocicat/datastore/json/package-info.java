/** JSON trees with exact numbers, written byte for byte as Go writes them. */
@NullMarked
package io.ocicat.datastore.json;

import org.jspecify.annotations.NullMarked;
