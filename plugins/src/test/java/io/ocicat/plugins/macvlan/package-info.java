@NullMarked
package io.ocicat.plugins.macvlan;

import org.jspecify.annotations.NullMarked;
