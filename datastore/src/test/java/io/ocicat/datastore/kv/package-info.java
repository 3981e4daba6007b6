@NullMarked
package io.ocicat.datastore.kv;

import org.jspecify.annotations.NullMarked;
