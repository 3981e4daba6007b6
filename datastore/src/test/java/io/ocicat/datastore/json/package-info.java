@NullMarked
package io.ocicat.datastore.json;

import org.jspecify.annotations.NullMarked;
